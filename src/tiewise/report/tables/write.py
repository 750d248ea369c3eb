"""A table in three spellings: CSV to compute with, Markdown to read, LaTeX to paste."""

from __future__ import annotations

from pathlib import Path

from tiewise.report.names import TABLE_SUFFIXES
from tiewise.report.tables.table import Column, Table
from tiewise.store.artifacts import writing

_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)


def write_table(table: Table, stem: Path, *, footer: str) -> None:
    """Write one table as ``stem.csv``, ``stem.md`` and ``stem.tex``.

    Parameters
    ----------
    table : Table
        What to write.
    stem : pathlib.Path
        Path without suffix.
    footer : str
        The line under the table.
    """
    texts = (table.tidy.write_csv(), _markdown(table, footer), _latex(table, footer))
    for suffix, text in zip(TABLE_SUFFIXES, texts, strict=True):
        with writing(f"{stem}{suffix}") as part:
            part.write_text(text, encoding="utf-8")


def _markdown(table: Table, footer: str) -> str:
    notes = "".join(f"- {note}\n" for note in [*table.notes, footer])
    if table.wide.empty:
        return f"{table.title}\n\n{notes}"
    wide = table.wide.replace(r"\|", r"\\|", regex=True)
    if table.best is not None:
        wide = wide.where(~table.best, "**" + wide + "**")
    if wide.columns.nlevels > 1:
        wide = wide.set_axis([" ".join(pair) for pair in wide.columns], axis="columns")
    sides = ["left"] * wide.index.nlevels + list(map(_side, table.columns))
    text = wide.reset_index().to_markdown(index=False, disable_numparse=True, colalign=sides)
    return f"{table.title}\n\n{text}\n\n{notes}"


def _latex(table: Table, footer: str) -> str:
    foot = "".join(f"\n% {note}" for note in table.notes) + f"\n% {footer}\n"
    if table.wide.empty:
        return f"% {table.title}{foot}"
    styler = table.wide.style.format(escape="latex")
    for axis in ("index", "columns"):
        styler.format_index(escape="latex", axis=axis)
    styler.format_index_names(escape="latex", axis="index")
    if table.best is not None:
        marks = table.best.map(lambda is_best: "textbf:--rwrap;" if is_best else "")
        styler.apply(lambda _: marks, axis=None)
    sides = "".join(_side(column)[0] for column in table.columns)
    tabular = styler.to_latex(
        hrules=True, multicol_align="c", column_format="l" * table.wide.index.nlevels + sides
    )
    visible = ". ".join([*table.notes, footer]).translate(_LATEX)
    needs = "% Needs \\usepackage{booktabs,multirow}"
    return f"% {table.title}\n{needs}\n{tabular}\\par\\smallskip{{\\footnotesize {visible}}}\n"


def _side(column: Column) -> str:
    return "right" if column.is_numbers else "left"
