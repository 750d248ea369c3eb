"""Runs and judgements as tables: checked, filtered, counted, their ties ordered by a policy."""
