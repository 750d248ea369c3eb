"""Number formats, scoring functions and simulated precision."""
