"""Sentences to facts; facts to possible answers, with a proof. Never imports the generator."""
