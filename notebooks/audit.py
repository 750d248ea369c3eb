# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Auditing a run
#
# A run that exists already can be audited without its model: how far could its numbers move, why,
# and what would each toolkit print for it? The run here is a real one, BM25 on ICD-10-CM: short
# texts, so that many documents get equal scores.

# %%
import tempfile
from pathlib import Path

import polars as pl

import tiewise
from tiewise.audit import audit
from tiewise.data import build_candidates, build_dataset, load_dataset_spec

# %%
spec = load_dataset_spec("../config/datasets/icd10cm.yaml")
data = build_dataset(spec)
candidates, _ = build_candidates(spec, data)
candidates.head(3)

# %% [markdown]
# ## A file as it lies on a disk
#
# Most runs are TREC files. This one is written with four decimals, as many tools do.

# %%
path = Path(tempfile.mkdtemp()) / "bm25.txt"
path.write_text(
    "".join(
        f"{query} Q0 {document} {rank} {score:.4f} bm25\n"
        for query, document, rank, score in candidates.iter_rows()
    )
)
run = tiewise.read_run(path)
run.head(3)

# %% [markdown]
# ## What ties leave open
#
# `expected`, `min` and `max` are exact; `n_queries_moved` counts the queries whose value depends on
# the order of ties.

# %%
found = audit(data.qrels, run, ["nDCG@10", "RR@10", "P@10"])
found.table.select("measure", "oblivious", "expected", "min", "max", "sd", "n_queries_moved")

# %%
print(*found.verdict, sep="\n")

# %%
print(*(source.text for source in found.sources), sep="\n")

# %% [markdown]
# ## What each toolkit would print
#
# Toolkits order ties by rules of their own, so the same file gets different numbers.

# %%
printed = found.toolkits.pivot("measure", index="toolkit", values="value")
printed

# %% [markdown]
# The command `tiewise audit RUN QRELS` says the same on the terminal, or as a page with
# `--format html`.

# %%
values = found.toolkits.filter(pl.col("measure") == "RR@10")["value"].drop_nulls()
assert values.max() > values.min()
print(f"RR@10 of one file, as printed by different tools: {values.min():.4f} to {values.max():.4f}")
