"""A table in three spellings: CSV to compute with, Markdown to read, LaTeX to paste."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tiewise.io.artifacts import writing


def write_table(tidy: pd.DataFrame, wide: pd.DataFrame, stem: Path, *, note: str) -> None:
    """Write one table as ``stem.csv``, ``stem.md`` and ``stem.tex``.

    Parameters
    ----------
    tidy : pandas.DataFrame
        One value a row and full precision; the CSV.
    wide : pandas.DataFrame
        What a reader looks at: row labels in the index, column labels of one or two levels,
        numbers that are shown with two decimals.
    stem : pathlib.Path
        Path without suffix.
    note : str
        The footer.
    """
    markdown = wide
    if wide.columns.nlevels > 1:
        markdown = wide.set_axis([" ".join(pair) for pair in wide.columns], axis="columns")
    texts = {
        ".csv": tidy.to_csv(index=False),
        ".md": markdown.reset_index().to_markdown(index=False, floatfmt=".2f") + f"\n\n{note}\n",
        ".tex": _latex(wide, note),
    }
    for suffix, text in texts.items():
        with writing(stem.with_suffix(suffix)) as part:
            part.write_text(text, encoding="utf-8")


def _latex(wide: pd.DataFrame, note: str) -> str:
    styler = wide.style.format(precision=2, na_rep="--", escape="latex")
    styler = styler.format_index(escape="latex", axis="index")
    styler = styler.format_index(escape="latex", axis="columns")
    tabular = styler.to_latex(
        hrules=True,
        multicol_align="c",
        column_format="l" * wide.index.nlevels + "r" * wide.shape[1],
    )
    return f"% {note}\n% Needs \\usepackage{{booktabs,multirow}}\n{tabular}"
