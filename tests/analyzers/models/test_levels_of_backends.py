import pytest

from analyzers.models.model_findings import DepartureGroup, level
from analyzers.models.relevant_executions import ExecutionUse, Relevance
from analyzers.vocabulary import Departure, Level, ModelLayer, Probe, Run, Violated

POOL = "keras.layers.AveragePooling2D(pool_size=3, padding='same')"
BICUBIC = "keras.layers.Resizing(height=4, width=4, interpolation='bicubic')"
NAMED = {"keras-jax": ExecutionUse("serve.py", 3, "KERAS_BACKEND=jax")}
DECLARED = {"keras-jax": ExecutionUse("pyproject.toml", 4, "jax")}


def group_of(source: str, path: str = "net.py") -> DepartureGroup:
    layer = ModelLayer("pool", "AveragePooling2D", path, 12, source)
    run = Run(Violated("executes('divergence', 'keras-jax')", "keras-jax is off"))
    probe = Probe("net.py::network", {}, ())
    return DepartureGroup(
        (Departure("divergence", "keras-jax", probe, run, "1", "2", layer=layer),)
    )


@pytest.mark.parametrize(
    ("source", "uses", "declared", "expected"),
    [
        (POOL, NAMED, {}, Level.FAILURE),
        (POOL, {}, DECLARED, Level.WARNING),
        (POOL, {}, {}, Level.WARNING),
        (BICUBIC, NAMED, {}, Level.WARNING),
        (BICUBIC, {}, DECLARED, Level.WARNING),
        (BICUBIC, {}, {}, None),
    ],
)
def test_backends_that_a_project_names_gate_and_others_advise(source, uses, declared, expected):
    assert level(group_of(source), Relevance(("keras-jax",), uses, declared)) is expected


def test_backends_that_differ_in_no_layer_of_the_project_are_not_told():
    assert level(group_of(POOL, path=""), Relevance(("keras-jax",), {}, {})) is None
