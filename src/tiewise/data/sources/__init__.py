"""Where data sets come from: one source a file."""
