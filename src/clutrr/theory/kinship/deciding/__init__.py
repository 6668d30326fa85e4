"""What decides questions of kinship: it uses nothing of what draws them, so that agreement is evidence."""
