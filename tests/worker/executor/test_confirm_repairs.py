"""Repairs of every kind are tried before they are suggested."""

from contextlib import ExitStack, closing

import pytest

from analyzers.cloud.repairs.guards.guard_clauses import guarded
from analyzers.vocabulary import Crashes, Misses, Returned, Run, Suggestion
from tests.analyzers.cloud.bench import Case, FakeBench, goals
from tests.analyzers.samples import finding, raised
from tests.worker.sessions import answered, laboratory, target, tree
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer

LAST = """\
def check(path):
    names = labels()
    best = names[0]
    return best == "Dog"
"""
LISTED = """\
def check(path):
    if set(HOT) & set(labels()):
        return "alarm"
    return "quiet"
"""


@pytest.fixture
def confirm(tmp_path, sessions):
    """Confirms a finding on a head of some files and an empty base."""
    with ExitStack() as stack:

        def confirm(found, history=(), **files):
            made = laboratory(tree(tmp_path / "head", **files), tree(tmp_path / "base", app=""))
            before = stack.enter_context(closing(BaseTarget(made, target(), ())))
            confirmer = stack.enter_context(closing(Confirmer(made, target(), before)))
            return confirmer.confirmed(found, history)

        yield confirm


def crash(source, function="check", history=()):
    """The crash in ``source`` with the guard clause that is made for it."""
    found = finding(
        criterion=Crashes("IndexError", "app.py", function),
        probes=(answered(),),
        line=1 + source.splitlines().index("    best = names[0]"),
        evidence={"message": "list index out of range"},
    )
    repaired = guarded(found, history, FakeBench(Case(source)))
    assert repaired.suggestion is not None
    assert not repaired.suggestion.verified
    return repaired


def test_guard_clause_is_verified(confirm):
    history = [(answered("Dog"), Run(Returned("True"))), (answered(), Run(raised()))]
    found = confirm(crash(LAST, history=history), history, app=LAST)
    assert found.suggestion.verified
    assert found.suggestion.replacement == (
        "    if not names:\n        return False\n    best = names[0]"
    )


def test_guard_clause_that_moves_the_crash_is_dropped(confirm):
    within = LAST.replace("check", "first", 1)
    source = f"{within}\ndef check(path):\n    return 1 / first(path)\n"
    assert confirm(crash(source, "first"), app=source).suggestion is None


@pytest.mark.parametrize(("label", "verified"), [("Flame", True), ("Ash", None)])
def test_constant_in_another_file_is_widened_there(confirm, sessions, monkeypatch, label, verified):
    monkeypatch.setattr(sessions, "beside", "config.py")
    found = finding(
        rule="cloud/low-recall",
        criterion=Misses(next(goals(LISTED)), 0.75),
        probes=(answered("Fire"), answered("Flame"), answered("Flame")),
        suggestion=Suggestion("config.py", 1, 1, f'HOT = ["Fire", "{label}"]'),
    )
    suggestion = confirm(found, app=LISTED, config='HOT = ["Fire"]\n').suggestion
    assert (suggestion and suggestion.verified) is verified
