"""What people type: one function a command, each a few lines around the package."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from tiewise.errors import InputError, Problems, some
from tiewise.report.console import speaking, write, write_rows, write_text

Read = TypeVar("Read")

app = typer.Typer(
    help="How much of a retrieval score is the model, and how much is the order of its ties?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(StrEnum):
    """How a command shows its result."""

    table = "table"
    tsv = "tsv"
    jsonl = "jsonl"
    html = "html"


RUN = "TREC run, MTEB predictions, BEIR or ranx JSON, or Parquet; gzip or not; - is standard input."
QRELS = (
    "Judgements: TREC, BEIR TSV, JSON or Parquet; - is standard input; irds:ID asks ir_datasets."
)
MeasureNames = Annotated[
    list[str] | None,
    typer.Option("-m", "--measure", help="Such as nDCG@10, RR@10 or AP@100; may be repeated."),
]
Policy = Annotated[
    str,
    typer.Option(help="Order of ties in an oblivious tool: trec, input, docid, rank, random(7)."),
]
ScoreType = Annotated[
    str, typer.Option(help="What counts as equal: float64, or float32 as in trec_eval 9.")
]
Empty = Annotated[str, typer.Option(help="Queries without relevant documents: zero or skip.")]
Missing = Annotated[str, typer.Option(help="Judged queries without candidates: zero or skip.")]
Nonfinite = Annotated[str, typer.Option(help="NaN scores: error, or last.")]
Subset = Annotated[str | None, typer.Option(help="Subset of an MTEB prediction file with several.")]
Split = Annotated[str | None, typer.Option(help="Split of an MTEB prediction file with several.")]
PerQuery = Annotated[bool, typer.Option("-q", "--per-query", help="List every query too.")]
FormatName = Annotated[Format, typer.Option("--format", help="How to show the result.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="File to write instead of printing.")
]


@app.callback()
def about() -> None:
    """Keep `tiewise` a group of commands, however few there are."""


@app.command()
def audit(
    run: Annotated[str, typer.Argument(help=RUN)],
    qrels: Annotated[str, typer.Argument(help=QRELS)],
    measure: MeasureNames = None,
    policy: Policy = "trec",
    score_type: ScoreType = "float64",
    per_query: PerQuery = False,
    form: FormatName = Format.table,
    output: Output = None,
    empty: Empty = "zero",
    missing: Missing = "zero",
    nonfinite: Nonfinite = "error",
    subset: Subset = None,
    split: Split = None,
) -> None:
    """Show how far the numbers of a run can move with the order of its ties, and why.

    Example: tiewise audit run.txt.gz qrels.txt -m nDCG@10 -m RR@10 --format html -o audit.html
    """
    with speaking() as notes:
        from tiewise.io import read_qrels, read_run

        _only_one_stdin(run, qrels)
        options = {"nonfinite": nonfinite, "subset": subset, "split": split}
        reading = _reading([(read_qrels, qrels, {}), (read_run, run, options)])
        from tiewise.audit import DEFAULT_MEASURES
        from tiewise.audit import audit as audited

        judgements, candidates = reading.result()
        result = audited(
            judgements,
            candidates,
            measure or DEFAULT_MEASURES,
            policy=policy,
            score_type=score_type,
            empty=empty,
            missing=missing,
        )
        if form in (Format.tsv, Format.jsonl):
            # These formats hold numbers only: what was left out is said beside them.
            notes.say(result.coverage.remarks(empty=empty, missing=missing))
            write_rows(result.rows(per_query=per_query), output, tsv=form is Format.tsv)
        elif form is Format.html:
            from tiewise.report.audit_page import audit_page

            write(
                audit_page(
                    result, judgements, candidates, run_name=run, qrels_name=qrels, notes=notes.said
                ),
                output,
            )
        else:
            from tiewise.report.audit_text import audit_text

            write_text(audit_text(result, run, qrels, per_query=per_query), output)


@app.command()
def compare(
    qrels: Annotated[str, typer.Argument(help=QRELS)],
    run: Annotated[list[str], typer.Argument(help=f"At least two. {RUN}")],
    measure: MeasureNames = None,
    baseline: Annotated[str | None, typer.Option(help="Compare all runs with this one.")] = None,
    policy: Policy = "trec",
    score_type: ScoreType = "float64",
    form: FormatName = Format.table,
    output: Output = None,
    empty: Empty = "zero",
    missing: Missing = "zero",
    nonfinite: Nonfinite = "error",
    resamples: Annotated[int, typer.Option(help="Resamples over queries; 0 for none.")] = 9_999,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
) -> None:
    """Show which of the runs' differences survive the order of their ties.

    Example: tiewise compare qrels.txt a.run b.run c.run -m nDCG@10 --format html -o ranks.html
    """
    with speaking() as notes:
        from tiewise.audit import DEFAULT_MEASURES
        from tiewise.audit.standings import compare_runs
        from tiewise.io import read_qrels, read_run

        _only_one_stdin(qrels, *run)
        names = short_names(run)
        reading = [(read_run, path, {"nonfinite": nonfinite}) for path in run]
        judgements, *candidates = _read_all([(read_qrels, qrels, {}), *reading])
        result = compare_runs(
            judgements,
            dict(zip(names, candidates, strict=True)),
            measure or DEFAULT_MEASURES[:1],
            baseline=_named(baseline, run, names),
            policy=policy,
            score_type=score_type,
            empty=empty,
            missing=missing,
            resamples=resamples,
            seed=seed,
        )
        notes.say(result.remarks)
        title = f"{len(run)} runs against {qrels}"
        if form in (Format.tsv, Format.jsonl):
            write_rows(result.pairs, output, tsv=form is Format.tsv)
        elif form is Format.html:
            from tiewise.report.compare_page import compare_page

            write(compare_page(result, title=title, notes=notes.said), output)
        else:
            from tiewise.report.compare_text import compare_text

            write_text(compare_text(result, title), output)


@app.command(name="new-model")
def new_model(
    model: Annotated[str, typer.Argument(help="Hub id, owner/name, or a folder of a model.")],
) -> None:
    """Print the block that adds a model to a study, read from the model's own files."""
    from tiewise.models.new_model import new_model as block_of

    with speaking():
        typer.echo(block_of(model), nl=False)


@app.command()
def show(
    results: Annotated[Path, typer.Argument(help="Results folder of a study.")] = Path("results"),
) -> None:
    """Print a finished study's main table, and where its results lie."""
    from rich.console import Console

    from tiewise.report.show import show as print_study

    with speaking():
        print_study(results, Console())


@app.command()
def check(
    results: Annotated[Path, typer.Argument(help="Results folder of a study.")] = Path("results"),
) -> None:
    """Compare a study with published numbers; exit code 1 when one is outside."""
    from tiewise.report.check import check as compare_with_published
    from tiewise.report.check import check_text

    with speaking():
        found = compare_with_published(results)
    write_text(check_text(found), None)
    if found.n_outside:
        raise typer.Exit(1)


def short_names(paths: list[str]) -> list[str]:
    """Name runs by what tells their paths apart.

    Raises
    ------
    InputError
        A path is given twice.

    Examples
    --------
    >>> short_names(["runs/a/run.txt", "runs/b/run.txt"]), short_names(["a.txt", "x/b.txt"])
    (['a', 'b'], ['a.txt', 'x/b.txt'])
    """
    twice = [path for i, path in enumerate(paths) if path in paths[:i]]
    if twice:
        raise InputError(f"runs given twice, {some(twice)}")
    if len(paths) < 2:
        return paths
    parts = [Path(path).parts for path in paths]
    shortest = min(map(len, parts))
    first = next(i for i in range(shortest + 1) if len({p[: i + 1] for p in parts}) > 1)
    last = next(i for i in range(shortest + 1) if len({p[len(p) - i - 1 :] for p in parts}) > 1)
    names = ["/".join(p[first : max(first + 1, len(p) - last)]) for p in parts]
    return names if all(names) and len(set(names)) == len(names) else paths


def _named(baseline: str | None, paths: list[str], names: list[str]) -> str | None:
    """Take a baseline by its path or by its short name."""
    return baseline if baseline not in paths else names[paths.index(baseline)]


def _only_one_stdin(*paths: str) -> None:
    if sum(path == "-" for path in paths) > 1:
        raise InputError("only one input can be standard input (-)")


def _reading(inputs: list[tuple[Callable[..., Read], str, dict[str, Any]]]) -> Future[list[Read]]:
    """Start to read every input, one after another, while the caller loads what it needs next."""
    reader = ThreadPoolExecutor(max_workers=1)
    future = reader.submit(_read_all, inputs)
    reader.shutdown(wait=False)
    return future


def _read_all(inputs: list[tuple[Callable[..., Read], str, dict[str, Any]]]) -> list[Read]:
    """Read every input, and raise once with the problems of all."""
    problems = Problems()
    tables = [problems.attempt(read, path, **options) for read, path, options in inputs]
    problems.stop()
    return tables


def main() -> None:
    """Run the command line; a reader that stops listening is no error."""
    # No command of the judging wing multiplies matrices, and the start of the threads that numpy
    # keeps for it costs a tenth of a second of processor time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except BrokenPipeError:
        # The interpreter flushes standard output once more when it ends: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
