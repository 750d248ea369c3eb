"""Audit a run that exists: how far its numbers can move, why, and what toolkits would print."""

from tiewise.audit.audit import DEFAULT_MEASURES, Audit, TieSummary, audit
from tiewise.audit.origins import TieSource

__all__ = ["DEFAULT_MEASURES", "Audit", "TieSource", "TieSummary", "audit"]
