"""The figures of a study, one a module: artifacts in, a matplotlib figure out."""
