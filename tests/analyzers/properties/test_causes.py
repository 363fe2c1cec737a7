"""Crashes where a library no longer has a name."""

from analyzers.properties.properties_analyzer import cause_of, caused
from analyzers.vocabulary import Finding, Level, Written

SOURCE = """\
def f(optimizer):
    if optimizer:
        return plateau(
            optimizer, verbose=True
        )
    return other(verbose=True)
"""


def finding(line, rule="property/crash", **evidence):
    return Finding(
        analyzer="properties",
        rule=rule,
        level=Level.FAILURE,
        path="app.py",
        line=line,
        end_line=line,
        symbol="f",
        target="app.py::f",
        title="a title",
        message="It is so.",
        evidence=evidence,
        probes=(),
        criterion=Written("app.py", "verbose"),
    )


def test_a_crash_is_of_what_is_gone_in_its_statement():
    gone = (finding(6, "property/removed-api"), finding(4, "property/removed-api", name="verbose"))
    cause = cause_of(finding(3), gone, SOURCE)
    assert cause is gone[1]
    assert caused(finding(3), cause).evidence == {"name": "verbose"}


def test_other_statements_have_other_causes():
    gone = (finding(4, "property/removed-api"),)
    assert cause_of(finding(2), gone, SOURCE) is None
    assert cause_of(finding(6), gone, SOURCE) is None
    assert cause_of(finding(3, "property/postcondition"), gone, SOURCE) is None
    assert cause_of(finding(4), gone, "def f(:") is gone[0]
