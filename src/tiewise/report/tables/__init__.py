"""The tables of a study, a topic a module: artifacts in, a `Table` out."""
