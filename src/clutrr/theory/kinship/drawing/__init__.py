"""What draws questions of kinship: it uses nothing of what decides them."""
