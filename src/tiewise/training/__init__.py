"""Training rerankers of one's own, on queries that a study does not test."""
