# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Adding a model
#
# A model is one YAML block and no code. This notebook adds a second reading of the shipped encoder,
# which takes the vector of the first token instead of the mean, and runs both by hand, step by step
# as the workflow does.

# %%
import tempfile
from pathlib import Path

import polars as pl

import tiewise
from tiewise.data import build_candidates, build_dataset, document_texts, load_dataset_spec
from tiewise.models.logits import compute_logits
from tiewise.models.scores import score_candidates
from tiewise.models.spec import load_model_spec
from tiewise.precision.regimes import Regime

# %% [markdown]
# ## The block
#
# Copy the shipped block that is nearest, and change what differs. A misspelt key is answered with
# the nearest legal one.

# %%
shipped = Path("../config/models/all-minilm-l6-v2.yaml").read_text()
block = shipped.replace("name: all-minilm-l6-v2", "name: minilm-cls").replace(
    "label: all-MiniLM-L6-v2", "label: MiniLM, first token"
)
block = block.replace("pooling: mean", "pooling: cls").split("self_test:")[0]
path = Path(tempfile.mkdtemp()) / "minilm-cls.yaml"
path.write_text(block)
print(block)

# %%
try:
    path.with_name("wrong.yaml").write_text(block.replace("pooling:", "poolin:"))
    load_model_spec(path.with_name("wrong.yaml"))
except tiewise.InputError as error:
    print(error)

# %% [markdown]
# ## One forward pass, several regimes
#
# The model runs once per model dtype; `bf16` and `bf16-hps` are two cheap functions of the same
# output. Arithmetic is simulated, so that every machine gets the same numbers.

# %%
whole = load_dataset_spec("../config/datasets/icd10cm.yaml")
few = {"n_queries": 8, "n_documents": 300}
few["candidates"] = whole.candidates.model_copy(update={"k": 15})
data_spec = whole.model_copy(update=few)
data = build_dataset(data_spec)
candidates, _ = build_candidates(data_spec, data)
corpus = data.corpus.select("doc_id", text=document_texts(data.corpus))


def scores(spec, regimes):
    """Score the candidates in several regimes that share a model dtype."""
    output, _ = compute_logits(
        spec,
        Regime.parse(regimes[0]).model_dtype,
        queries=data.queries,
        corpus=corpus,
        candidates=candidates,
        arithmetic="simulated",
    )
    return {
        name: score_candidates(spec, output, candidates, Regime.parse(name)) for name in regimes
    }


models = {
    "mean": load_model_spec("../config/models/all-minilm-l6-v2.yaml"),
    "first token": load_model_spec(path),
}
runs = {name: scores(spec, ["bf16", "bf16-hps"]) for name, spec in models.items()}

# %% [markdown]
# ## Judged

# %%
judged = pl.concat(
    tiewise.evaluate(data.qrels, run, "nDCG@10", policy="input").select(
        pl.lit(name).alias("pooling"),
        pl.lit(regime).alias("regime"),
        *("expected", "range", "sd", "bias"),
    )
    for name, by_regime in runs.items()
    for regime, run in by_regime.items()
)
judged

# %% [markdown]
# ## Compared
#
# Is the order of the two certain, whatever the order of ties? And apart from it: would it hold for
# other queries?

# %%
pairs = tiewise.compare(
    data.qrels, {name: by_regime["bf16"] for name, by_regime in runs.items()}, "nDCG@10"
)
pairs.select("run_a", "run_b", "delta", "delta_min", "delta_max", "certain", "p_value")

# %% [markdown]
# In a study the block goes to `config/models/minilm-cls.yaml` and its name into `models:`; finished
# results of other models are not computed again. `tiewise new-model` writes the block of a model on
# the hub.

# %%
assert (judged.filter(pl.col("regime") == "bf16-hps")["range"] == 0).all()
