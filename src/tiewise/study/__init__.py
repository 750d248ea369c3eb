"""Studies: models x data sets x precision regimes x measures, from a config to artifacts."""
