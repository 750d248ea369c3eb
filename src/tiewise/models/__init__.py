"""Models: from a config block to logits, and from logits to scores in any precision regime."""
