"""From a block to a data set in the normal form."""

from __future__ import annotations

import logging

from tiewise.data.normal import Dataset, normalise
from tiewise.data.spec import DatasetSpec
from tiewise.data.subset import sample
from tiewise.errors import Problems

log = logging.getLogger(__name__)


def build_dataset(spec: DatasetSpec) -> Dataset:
    """Read a data set from its source, check it, and take the sample that its block asks for.

    Parameters
    ----------
    spec : DatasetSpec
        The checked block.

    Returns
    -------
    Dataset
        In the normal form. `facts` holds the source with versions and checksums, a count of
        everything left out, and the counts of what remains.

    Raises
    ------
    InputError
        The source is missing, is another version than the block says, or breaks the normal form.
    """
    dataset = normalise(
        spec.source.read(),
        spec.name,
        queries=spec.queries,
        relevant_grades=spec.relevant_grades,
    )
    _compare(spec, dataset)
    dataset = sample(dataset, spec.name, spec.n_queries, spec.n_documents)
    log.info("%s: %s", spec.name, dataset.facts)
    return dataset


def _compare(spec: DatasetSpec, dataset: Dataset) -> None:
    counts = dataset.facts["counts"]
    expected = spec.expected.model_dump(exclude_none=True)
    problems = Problems(
        f"{spec.name}: expected.{key}: found {counts[key.removeprefix('n_')]}, not {value}"
        for key, value in expected.items()
        if counts[key.removeprefix("n_")] != value
    )
    problems.stop()
