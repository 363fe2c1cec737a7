"""A parameter that is never read, with a constant passed on under its name."""

import pytest

from analyzers.criteria import is_written
from analyzers.inference.function_lookup import find_function
from analyzers.properties.ignored_arguments import ignored_argument_findings
from analyzers.vocabulary import Level, Reason, Target


def found(body, head="x, steps=50"):
    text = f"def f({head}):\n    {body}\n"
    subject = find_function("a.py", "f", {"a.py": text})
    assert subject is not None
    return list(ignored_argument_findings(Target("a.py", "f", 1, 2, Reason.CHANGED, ()), subject))


def test_constant_in_place_of_an_argument_is_told_until_it_is_passed_on():
    (finding,) = found("return g(x, steps=50)")
    assert (finding.title, finding.level) == ("`f` ignores `steps`", Level.WARNING)
    assert finding.evidence == {"parameter": "steps", "passed": "steps=50"}
    assert is_written(finding.criterion, "y = g(x,\n    steps=50)")
    assert not is_written(finding.criterion, "def f(x, steps=50): return g(x, steps=steps)")


@pytest.mark.parametrize(
    "body",
    [
        "return g(x, steps=steps)",
        "return g(x, steps=50) if steps else g(x)",
        "return g(x, steps=None)",
        "return g(x, size=50)",
        "return g(**locals(), steps=50)",
    ],
)
def test_argument_that_is_read_or_left_out_is_not_told(body):
    assert found(body) == []


def test_inherited_method_is_told_where_it_is_defined():
    sources = {
        "base.py": "class Base:\n    def f(self, x, steps=50):\n        return g(x, steps=50)\n",
        "near.py": "from base import Base\n\n\nclass Near(Base):\n    pass\n",
    }
    subject = find_function("near.py", "Near.f", sources)
    assert subject is not None
    target = Target("near.py", "Near.f", 4, 5, Reason.CALLS_CHANGED, ())
    (finding,) = ignored_argument_findings(target, subject)
    assert (finding.path, finding.line, finding.criterion.path) == ("base.py", 3, "base.py")
