"""What a project does not pass cannot go wrong in it."""

import pytest

from analyzers.relations.known_relations import passes

NAMES = ("self", "other", "rounding_mode")
ONE = "torch.Tensor.div(torch.tensor(1), 2)"


@pytest.mark.parametrize(
    ("known", "sources", "said"),
    [
        ("torch.Tensor.div(1, 0)", [ONE], True),
        ("torch.Tensor.div(1, other=0)", [ONE], True),
        ("torch.Tensor.div(1, 0, rounding_mode='trunc')", [ONE], False),
        ("torch.Tensor.div(1, 0, 'trunc')", [ONE], False),
        (
            "torch.Tensor.div(1, 0, rounding_mode='trunc')",
            [ONE, "torch.Tensor.div(1, 2, rounding_mode='floor')"],
            True,
        ),
        ("torch.Tensor.div(1, 0, rounding_mode='trunc')", [""], True),
        ("torch.Tensor.div(1, 0, rounding_mode='trunc')", [], True),
        ("torch.Tensor.div(1, 2, 3, 4)", ["torch.Tensor.div(1, 2, 3)"], False),
        ("torch.nn.Softshrink(0.5)(1.0)", ["torch.nn.Softshrink()(1.0)"], True),
    ],
)
def test_passes(known, sources, said):
    assert passes(known, sources, NAMES) is said
