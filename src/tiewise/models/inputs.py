"""From the tables of a data set to the inputs of a model, each distinct one once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import polars as pl

from tiewise.errors import Problems, some
from tiewise.models.adapter import Input
from tiewise.models.kinds.bi_encoder import render_text
from tiewise.models.kinds.yes_no_lm import render_pair
from tiewise.models.spec import ModelSpec
from tiewise.models.tokens import unique

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Served:
    """Rows of a logits table that some shards serve.

    Attributes
    ----------
    rows : polars.DataFrame
        The key columns.
    place : ndarray of int64, shape (n_rows,)
        Output of each row, when the shards' outputs stand one after the other.
    """

    rows: pl.DataFrame
    place: Places


@dataclass(frozen=True)
class Inputs:
    """What a model has to read for a data set, and which row of its logits each input serves.

    Attributes
    ----------
    rows : polars.DataFrame
        The key columns of the logits table.
    place : ndarray of int64, shape (n_rows,)
        Input of each row.
    size : int
        Number of inputs.
    group : ndarray of int64, shape (size,), or None
        Query of each input; None where inputs belong to no query.
    render : callable
        Writes the inputs of a range of places; all of them at once may not fit in memory.
    """

    rows: pl.DataFrame
    place: Places
    size: int
    group: Places | None
    render: Callable[[range], list[Input]]

    def shards(self, shard_size: int) -> list[range]:
        """Cut the inputs after every so many, or where the query under way ends."""
        ends = [*range(shard_size, self.size, shard_size), self.size]
        if self.group is not None:
            begins = np.flatnonzero(np.diff(self.group)) + 1  # where another query begins
            edges = np.append(begins, self.size)
            ends = np.unique(edges[np.searchsorted(begins, ends)]).tolist()
        return [range(start, end) for start, end in pairwise([0, *ends])]

    def serve(self, shards: Sequence[range]) -> Served:
        """Find the rows that some shards serve."""
        output = np.full(self.size, -1, dtype=np.int64)
        done = np.concatenate([np.arange(0), *(np.asarray(shard) for shard in shards)])
        output[done.astype(np.int64)] = np.arange(len(done))
        place = output[self.place]
        return Served(self.rows.filter(place >= 0), place[place >= 0])


def prepare_inputs(
    spec: ModelSpec,
    queries: pl.DataFrame,
    corpus: pl.DataFrame,
    candidates: pl.DataFrame,
    *,
    dataset: str | None = None,
    distinct: bool = True,
) -> Inputs:
    """List what a model has to read.

    Parameters
    ----------
    spec : ModelSpec
        The model: a bi-encoder reads texts, a reranker pairs.
    queries, corpus, candidates : polars.DataFrame
        As `compute_logits` takes them.
    dataset : str, optional
        Data set, which may have its own instruction.
    distinct : bool
        Read equal inputs once; otherwise every row is an input of its own.

    Raises
    ------
    InputError
        No candidates, or ids that are not in the tables or twice in them; all problems at once.
    """
    _check_ids(queries, corpus, candidates)
    make = _pairs if spec.is_reranker else _texts
    return make(spec, queries, corpus, candidates, dataset, distinct)


def n_empty_documents(corpus: pl.DataFrame, candidates: pl.DataFrame) -> int:
    """Count the documents among the candidates that have no text."""
    used = corpus.join(candidates, on="doc_id", how="semi")
    return used.filter(pl.col("text").str.strip_chars() == "").height


def _texts(
    spec: ModelSpec,
    queries: pl.DataFrame,
    corpus: pl.DataFrame,
    candidates: pl.DataFrame,
    dataset: str | None,
    distinct: bool,
) -> Inputs:
    sides = []
    for side, key, table in (("query", "query_id", queries), ("document", "doc_id", corpus)):
        wanted = candidates.select(pl.col(key).unique(maintain_order=True))
        texts = wanted.join(table.select(key, "text"), on=key, how="left", maintain_order="left")
        sides.append(texts.select(side=pl.lit(side), id=pl.col(key), text=pl.col("text")))
    rows = pl.concat(sides)
    written = [render_text(spec, side, text, dataset) for side, _, text in rows.iter_rows()]
    inputs = list(dict.fromkeys(written)) if distinct else written
    places = {text: i for i, text in enumerate(inputs)}
    place = [places[text] for text in written] if distinct else range(len(written))
    return Inputs(
        rows.select("side", "id"),
        np.array(place, dtype=np.int64),
        len(inputs),
        None,
        lambda places: inputs[places.start : places.stop],
    )


def _pairs(
    spec: ModelSpec,
    queries: pl.DataFrame,
    corpus: pl.DataFrame,
    candidates: pl.DataFrame,
    dataset: str | None,
    distinct: bool,
) -> Inputs:
    rows = candidates.select("query_id", "doc_id")
    query_texts, query_codes = _coded(queries, "query_id")
    document_texts, document_codes = _coded(corpus, "doc_id")
    pairs = rows.join(query_codes, on="query_id", how="left", maintain_order="left")
    pairs = pairs.join(document_codes, on="doc_id", how="left", maintain_order="left")
    pairs = pairs.select(query="query_id_text", document="doc_id_text")
    inputs = pairs.unique(maintain_order=True) if distinct else pairs
    place = np.arange(rows.height, dtype=np.int64)
    if distinct:
        places = inputs.with_row_index("place")
        on = ["query", "document"]
        place = pairs.join(places, on=on, how="left", maintain_order="left")["place"].to_numpy()

    def render(places: range) -> list[Input]:
        codes = inputs[places.start : places.stop].iter_rows()
        return [render_pair(spec, query_texts[q], document_texts[d], dataset) for q, d in codes]

    group = inputs["query"].to_numpy()
    return Inputs(rows, place.astype(np.int64), inputs.height, group.astype(np.int64), render)


def _coded(table: pl.DataFrame, key: str) -> tuple[Sequence[str], pl.DataFrame]:
    """Number the distinct texts of a table; equal texts share a number."""
    texts = unique(table["text"])
    codes = {text: i for i, text in enumerate(texts)}
    numbers = pl.Series(f"{key}_text", [codes[t] for t in table["text"]], dtype=pl.Int64)
    return texts, table.select(key, numbers)


def _check_ids(queries: pl.DataFrame, corpus: pl.DataFrame, candidates: pl.DataFrame) -> None:
    problems = Problems()
    if candidates.is_empty():
        problems.append("no candidates: there is nothing to score")
    for key, table, name in (("query_id", queries, "queries"), ("doc_id", corpus, "corpus")):
        repeated = table.filter(pl.col(key).is_duplicated())[key].unique(maintain_order=True)
        if len(repeated):
            problems.append(f"{name}: {key} given more than once, {some(repeated)}")
        unknown = candidates.join(table, on=key, how="anti", maintain_order="left")
        ids = unknown[key].unique(maintain_order=True)
        if len(ids):
            problems.append(f"candidates: {key} not in {name}, {some(ids)}")
    twice = candidates.filter(candidates.select("query_id", "doc_id").is_duplicated())
    if twice.height:
        pairs = twice.select("query_id", "doc_id").unique(maintain_order=True).rows()
        problems.append(f"candidates: a document given more than once for a query, {some(pairs)}")
    problems.stop()
