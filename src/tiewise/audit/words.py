"""What an audit means, in two plain sentences."""

from __future__ import annotations

import polars as pl


def verdict(
    table: pl.DataFrame, n_tied: int, policy: str, *, n_tied_float32: int = 0
) -> tuple[str, str]:
    """Say what the numbers of an audit mean.

    Parameters
    ----------
    table : polars.DataFrame
        Averages, one row a measure; the sentences speak of the first.
    n_tied : int
        Tied candidates.
    policy : str
        Tie policy of the oblivious value.
    n_tied_float32 : int
        Tied candidates if scores are kept as float32.

    Returns
    -------
    tuple of two str
        What the ties do to the value, and what to report.
    """
    row = table.row(0, named=True)
    name, value = row["measure"], f"{row['oblivious']:.4f}"
    if not n_tied and n_tied_float32:
        return (
            f"{name} is {value}, and no two candidates of a query share a score as float64.",
            f"Report the value as it is, but say so: {n_tied_float32:,} candidates are tied for "
            "tools that keep scores as float32, and those may print another value.",
        )
    if not n_tied:
        return (
            f"{name} is {value}, and no two candidates of a query share a score.",
            "The order of ties plays no part: report the value as it is.",
        )
    if not (table["range"] > 0).any():
        return (
            f"{name} is {value} under every order of the {n_tied:,} tied candidates, and no other "
            "measure here moves either.",
            "The ties are harmless at these cut-offs: report the value as it is.",
        )
    if not row["range"] > 0:
        moved = ", ".join(table.filter(pl.col("range") > 0)["measure"])
        return (
            f"{name} is {value} under every order of the tied candidates, but {moved} are not.",
            "Report the expected value with its minimum and maximum where there is a range.",
        )
    return (
        f"{name} is {value} if ties are broken by the policy {policy!r}, but the same scores allow "
        f"everything from {row['min']:.4f} to {row['max']:.4f}, and {row['expected']:.4f} on "
        "average over all orders.",
        f"Report {row['expected']:.4f} with [{row['min']:.4f}, {row['max']:.4f}]: a difference to "
        f"another system that is smaller than this range of {row['range']:.4f} may be nothing but "
        "the order of ties.",
    )
