"""What judgements and a run have in common, and what an evaluation leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from tiewise.errors import some


class CoverageWarning(UserWarning):
    """Queries that count as zero or are left out of an average."""


@dataclass(frozen=True)
class Coverage:
    """Queries and documents that judgements and a run share, and those they do not.

    Attributes
    ----------
    n_queries : int
        Judged queries.
    unjudged : tuple of str
        Queries of the run without judgements: always left out.
    missing : tuple of str
        Judged queries without candidates: score 0, or are left out.
    empty : tuple of str
        Judged queries without a relevant document (grade 1 or more): score 0, or are left out.
    n_candidates : int
        Candidates of judged queries.
    n_judgements, n_judged_retrieved : int
        Judgements, and those of them whose document is a candidate of the query.
    n_relevant, n_relevant_retrieved : int
        Relevant documents, and those of them that are candidates of the query.
    """

    n_queries: int
    unjudged: tuple[str, ...]
    missing: tuple[str, ...]
    empty: tuple[str, ...]
    n_candidates: int
    n_judgements: int
    n_judged_retrieved: int
    n_relevant: int
    n_relevant_retrieved: int

    def remarks(self, *, empty: str = "zero", missing: str = "zero") -> list[str]:
        """Say in sentences what is left out or counts as zero.

        Parameters
        ----------
        empty, missing : {"zero", "skip"}
            As for `tiewise.evaluate`.

        Returns
        -------
        list of str
            No sentence where there is nothing to say.

        Examples
        --------
        >>> Coverage(2, (), ("q2",), (), 9, 4, 3, 2, 2).remarks(missing="skip")
        ["judged queries without candidates are left out, 1: 'q2'"]
        """
        fate = {"zero": "score 0", "skip": "are left out"}
        remarks = []
        if self.unjudged:
            remarks.append(f"run queries without judgements are left out, {some(self.unjudged)}")
        if self.missing:
            lacking = some(self.missing)
            remarks.append(f"judged queries without candidates {fate[missing]}, {lacking}")
        if self.empty:
            lacking = some(self.empty)
            remarks.append(f"queries without relevant documents {fate[empty]}, {lacking}")
        if not self.n_judged_retrieved:
            remarks.append("no judged document is a candidate: are the ids of one collection?")
        return remarks
