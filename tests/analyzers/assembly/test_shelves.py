"""What layers take is read from a file for each version, the nearest older one at that."""

import json

import pytest

from analyzers.assembly import layer_tables
from analyzers.assembly.layer_tables import Edge, InvalidLayerTableError, LayerApi, LayerParameter

ROWS = [
    {"name": "torch.nn.B", "parameters": []},
    {
        "name": "torch.nn.A",
        "requires": ["c % g == 0"],
        "inputs": ["torch.rand((2, 3))"],
        "keeps_shape": True,
        "parameters": [
            {"name": "c", "kinds": ["int"], "low": 1, "said_by": "code", "quote": "c > 0"},
            {
                "name": "g",
                "kinds": ["int", "none"],
                "checked": False,
                "edges": [{"value": "-1", "refused": "", "consequence": "NaN"}],
            },
        ],
    },
]

TEXT = json.dumps({"schema": layer_tables.SCHEMA, "layers": ROWS})


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(layer_tables, "_folder", lambda: tmp_path)
    for version in ("2.9.1", "2.10.0"):
        (tmp_path / f"torch-{version}.json").write_text(TEXT)
    (tmp_path / "SOURCES.md").write_text("")
    layer_tables.versions.cache_clear()
    layer_tables._read.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    layer_tables.versions.cache_clear()
    layer_tables._read.cache_clear()


def test_table_is_read():
    assert layer_tables.read(TEXT)["torch.nn.A"] == LayerApi(
        "torch.nn.A",
        (
            LayerParameter("c", ("int",), low=1, said_by="code", quote="c > 0"),
            LayerParameter("g", ("int", "none"), checked=False, edges=(Edge("-1", "", "NaN"),)),
        ),
        requires=("c % g == 0",),
        inputs=("torch.rand((2, 3))",),
        keeps_shape=True,
    )


@pytest.mark.parametrize(
    ("asked", "found"),
    [("2.10.0+cpu", "2.10.0"), ("2.11.0.dev1", "2.10.0"), ("2.9.9", "2.9.1"), ("2.9.0", None)],
)
def test_the_nearest_older_version_is_read(folder, asked, found):
    assert layer_tables.loaded(asked) == found
    assert bool(layer_tables.load(asked)) is (found is not None)


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": "other", "layers": []}'])
def test_bad_files_are_refused(text):
    with pytest.raises(InvalidLayerTableError):
        layer_tables.read(text)


@pytest.mark.parametrize("parameters", [1, [{"kinds": []}], [{"name": "a", "odd": 1}]])
def test_bad_layers_are_refused(parameters):
    row = {"name": "torch.nn.A", "parameters": parameters}
    with pytest.raises(InvalidLayerTableError):
        layer_tables.read(json.dumps({"schema": layer_tables.SCHEMA, "layers": [row]}))


def shipped():
    return layer_tables.load("2.13.0")


def test_all_layers_of_torch_are_there():
    layers = shipped()
    assert len([name for name in layers if name.startswith("torch.nn.")]) >= 144
    missing = [each.name for each in layers.values() if not (each.example or each.container)]
    assert [name for name in missing if name.startswith("torch.nn.")] == []


@pytest.mark.parametrize(
    ("layer", "parameter", "ends", "consequence"),
    [
        ("CrossEntropyLoss", "label_smoothing", (0, 1), "taken as 0.0"),
        ("MultiheadAttention", "dropout", (0, 1), "taken as 0.0"),
        ("LayerNorm", "eps", (0, None), "NaN"),
        ("BatchNorm2d", "momentum", (0, 1), "negative running_var"),
        ("AvgPool2d", "divisor_override", (1, None), "negative output"),
    ],
)
def test_range_checks_that_the_library_lacks_are_known(layer, parameter, ends, consequence):
    found = shipped()[f"torch.nn.{layer}"].parameter(parameter)
    assert (found.low, found.high) == ends
    assert not found.checked
    assert found.consequence.startswith(consequence)
    assert found.quote


def test_whoever_sets_a_range_is_quoted():
    for layer in shipped().values():
        for each in layer.parameters:
            if each.low is not None or each.high is not None or each.choices:
                assert each.quote, (layer.name, each.name)
            assert each.checked is all(edge.refused for edge in each.edges)
