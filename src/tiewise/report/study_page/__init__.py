"""The report of a study: one page that loads nothing from elsewhere."""
