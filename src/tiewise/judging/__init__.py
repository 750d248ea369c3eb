"""Judging scores: a run and judgements in, tie-aware values out."""
