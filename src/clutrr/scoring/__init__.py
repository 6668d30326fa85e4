"""Answers to the questions of a data set, read and scored."""
