"""The kinds of model: one a file."""
