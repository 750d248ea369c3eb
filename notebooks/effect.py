# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The effect, from bits to measure
#
# A retrieval score computed in BF16 is one of few numbers. Documents that FP32 tells apart get the
# same score, a tool has to put them in some order, and the measure depends on it. This notebook
# follows one query through every step.

# %%
import numpy as np
import polars as pl

import tiewise
from tiewise.precision.grids import BF16, FP16
from tiewise.precision.scoring import sigmoid

# %% [markdown]
# ## Few numbers
#
# Between 0.5 and 1, where the scores of good candidates lie, BF16 has 127 numbers.

# %%
pl.DataFrame(
    {
        "format": ["bf16", "fp16"],
        "numbers in (0.5, 1)": [len(grid.numbers(0.5, 1)) - 2 for grid in (BF16, FP16)],
        "distance between two": [float(grid.spacing(0.75)) for grid in (BF16, FP16)],
    }
)

# %% [markdown]
# ## Many ties
#
# A reranker gives each of a hundred candidates a logit; the model itself ran in BF16. The scoring
# function is a sigmoid. In BF16 it rounds once more, and most candidates tie. High-precision
# scoring upcasts the same logits first: nothing is lost, and nothing is added.

# %%
rng = np.random.default_rng(3)
documents = [f"d{number:02d}" for number in range(100)]
logits = BF16.round(rng.normal(4, 2, size=100))
relevant = set(
    rng.choice(documents, size=8, replace=False, p=np.exp(logits) / np.exp(logits).sum())
)
runs = {
    name: {"q": dict(zip(documents, sigmoid(logits, dtype).tolist(), strict=True))}
    for name, dtype in {"bf16": "bf16", "bf16-hps": "fp32"}.items()
}
pl.concat(
    tiewise.tie_statistics(run).select(
        pl.lit(name).alias("regime"), "n_candidates", "n_distinct_scores", "largest_tie_group"
    )
    for name, run in runs.items()
)

# %% [markdown]
# ## One value, or a range
#
# Every order of the tied documents is equally right. `expected` is the mean over all of them,
# exactly; `min` and `max` belong to the worst and the best; `oblivious` is what a tool prints that
# happens to keep the order of its input.

# %%
qrels = {"q": dict.fromkeys(sorted(relevant), 1)}
judged = pl.concat(
    tiewise.evaluate(qrels, run, ["nDCG@10", "RR@10", "R@20"], policy="input").select(
        pl.lit(name).alias("regime"), "measure", "expected", "min", "max", "range", "oblivious"
    )
    for name, run in runs.items()
)
judged

# %% [markdown]
# The upcast leaves a smaller range: only logits that the model itself gave twice still tie.

# %%
ranges = judged.pivot("regime", index="measure", values="range")
assert (ranges["bf16-hps"] <= ranges["bf16"]).all()
ranges
