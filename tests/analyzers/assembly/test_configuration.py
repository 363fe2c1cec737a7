"""What is given to a function and becomes a layer's parameter as it is."""

import pytest

from analyzers.assembly.layer_tables import LayerApi, LayerParameter
from analyzers.assembly.parameter_flow import depends, flows, function_of, layers_of

LAYERS = {
    each.name: each
    for each in (
        LayerApi(
            "torch.nn.LayerNorm",
            (LayerParameter("normalized_shape", ("int",)), LayerParameter("eps", ("float",))),
        ),
        LayerApi(
            "torch.nn.Linear",
            (LayerParameter("in_features", ("int",)), LayerParameter("out_features", ("int",))),
        ),
    )
}


def net(body, parameters="dim, eps=1e-5, config=None", imports="from torch import nn"):
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"{imports}\n\n\nclass Net(nn.Module):\n    def __init__(self, {parameters}):\n{lines}"


def found(text, name="Net.__init__"):
    function = function_of(text, name)
    return {
        (flow.source, flow.parameter.name)
        for flow in flows(function, layers_of(function, text, LAYERS))
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.n = nn.LayerNorm(dim, eps=eps)", {("dim", "normalized_shape"), ("eps", "eps")}),
        ("self.n = nn.LayerNorm(4, float(eps))", {("eps", "eps")}),
        ("e = eps\nself.n = nn.LayerNorm(4, e)", {("eps", "eps")}),
        ("self.eps = eps\nself.n = nn.LayerNorm(4, self.eps)", {("eps", "eps")}),
        ("self.n = nn.LayerNorm(4, eps=config.eps)", {("config.eps", "eps")}),
        ("c = config\nself.n = nn.LayerNorm(4, eps=eps + 1)", set()),
        ("eps = max(eps, 1e-9)\nself.n = nn.LayerNorm(4, eps)", set()),
        ("for eps in (1, 2):\n    self.n = nn.LayerNorm(4, eps)", set()),
        ("e, f = eps, eps\nself.n = nn.LayerNorm(4, e)", set()),
        ("config = fixed(config)\nself.n = nn.LayerNorm(4, config.eps)", set()),
        ("self.n = nn.LayerNorm(*dim, eps)", set()),
        ("self.n = LayerNorm(4, eps)", set()),
    ],
)
def test_only_what_is_handed_on_unchanged_flows(body, expected):
    assert found(net(body)) == expected


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import torch\nfrom torch import nn", "torch.nn.LayerNorm(4, eps)"),
        ("import torch.nn as layers\nfrom torch import nn", "layers.LayerNorm(4, eps)"),
        ("from torch import nn\nfrom torch.nn import LayerNorm as Norm", "Norm(4, eps)"),
    ],
)
def test_layers_are_known_by_any_import(imports, call):
    assert found(net(f"self.n = {call}", imports=imports)) == {("eps", "eps")}


def test_functions_that_build_layers_are_read_too():
    text = "from torch import nn\n\n\ndef head(eps):\n    return nn.LayerNorm(4, eps)\n"
    assert found(text, "head") == {("eps", "eps")}
    assert function_of(text, "tail") is None
    assert function_of("def (", "head") is None


def test_sizes_depend_on_what_they_are_computed_from():
    text = net("wide = dim * 2\nself.l = nn.Linear(wide + 1, 3)\nself.n = nn.Linear(16 * 4, 3)")
    function = function_of(text, "Net.__init__")
    first, second = layers_of(function, text, LAYERS)
    assert depends(function, first.arguments["in_features"]) == {"dim"}
    assert depends(function, second.arguments["in_features"]) == frozenset()
