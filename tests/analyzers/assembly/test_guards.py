"""The condition that a legal range is, and a guard that asks for it."""

import pytest

from analyzers.assembly.assembly_findings import condition_of, guard
from analyzers.assembly.layer_tables import LayerApi, LayerParameter
from analyzers.assembly.parameter_flow import flows, function_of, layers_of


def parameter(**more):
    return LayerParameter("eps", more.pop("kinds", ("float",)), **more)


@pytest.mark.parametrize(
    ("of", "condition"),
    [
        (parameter(low=0.0), "eps >= 0"),
        (parameter(low=0.0, open_low=True), "eps > 0"),
        (parameter(high=0.5), "eps <= 0.5"),
        (parameter(low=0.0, high=1.0), "0 <= eps <= 1"),
        (parameter(low=0.0, high=1.0, open_high=True), "0 <= eps < 1"),
        (parameter(low=0.0, kinds=("float", "none")), "eps is None or eps >= 0"),
        (parameter(), None),
    ],
)
def test_a_range_is_a_condition(of, condition):
    assert condition_of(of, "eps") == condition


TEXT = '''from torch import nn


class Net(nn.Module):
    def __init__(self, config):
        """Normalises."""
        super().__init__()
        self.norm = nn.LayerNorm(4, eps=config.eps)
'''


def test_a_guard_stands_behind_the_docstring_and_refuses():
    layers = {"torch.nn.LayerNorm": LayerApi("torch.nn.LayerNorm", (parameter(low=0.0),))}
    function = function_of(TEXT, "Net.__init__")
    (flow,) = flows(function, layers_of(function, TEXT, layers))
    made = guard(flow, condition_of(flow.parameter, flow.source), function, "net.py", TEXT)

    lines = TEXT.splitlines()
    changed = [*lines[: made.start_line - 1], made.replacement, *lines[made.end_line :]]
    assert lines[made.start_line - 1].strip() == "super().__init__()"
    compile("\n".join(changed), "net.py", "exec")
    assert "if not (config.eps >= 0):" in made.replacement
    assert 'raise ValueError(f"eps >= 0 is wanted, not {config.eps}")' in made.replacement
