"""Small nouns for tests."""

from analyzers.vocabulary import (
    BranchOutcome,
    Crashes,
    Exchange,
    Finding,
    Goal,
    Level,
    Probe,
    Raised,
    Reason,
    Returned,
    Run,
    Status,
    Target,
)

SOURCE = """\
def check(path):
    text = read(path)
    if "TOTAL" in text:
        return 1
    return 0
"""


def goal(**changes):
    facts = {
        "path": "app.py",
        "function": "check",
        "decision": 0,
        "clause": None,
        "outcome": BranchOutcome.TRUE,
        "line": 3,
        "end_line": 3,
        "text": '"TOTAL" in text',
        "decision_text": '"TOTAL" in text',
    }
    return Goal(**{**facts, **changes})


RETURNED = Returned("1")


def run(*hits, ending=RETURNED, exchanges=()):
    return Run(ending, frozenset(hits), tuple(exchanges))


def raised(exception="IndexError", **changes):
    facts = {"message": "", "path": "app.py", "line": 3, "function": "check"}
    return Raised(exception, **{**facts, **changes})


def target(*goals):
    return Target("app.py", "check", 1, 5, Reason.CHANGED, (), tuple(goals), ("app.py",))


def finding(**changes):
    facts = {
        "analyzer": "cloud",
        "rule": "cloud/crash",
        "level": Level.FAILURE,
        "path": "app.py",
        "line": 3,
        "end_line": 3,
        "symbol": "app.py::check",
        "target": "app.py::check",
        "title": "",
        "message": "",
        "evidence": {},
        "probes": (Probe("app.py::check", {}, (Exchange("a", "", {}),)),),
        "criterion": Crashes("IndexError", "app.py", "check"),
        "status": Status.NEW,
    }
    return Finding(**{**facts, **changes})
