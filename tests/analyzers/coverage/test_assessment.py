"""Was a target tested: what the counted facts come to."""

from dataclasses import replace

import pytest

from analyzers.coverage import assess
from analyzers.vocabulary import Broken, Coverage, MainBranch, Misses, Skipped, Status, Tested
from tests.analyzers.samples import finding, goal

BRANCH = MainBranch(goal().id, "app.py:3 `x` true", on_answer=True)
OTHER = MainBranch("app.py::check#1:true", "app.py:5 `y` true")
WHOLE = Coverage(completed=5, answered=5, main=2)
SKIPPED = Skipped("cloud", "app.py::check", "no engine")
LOW = finding(rule="cloud/low-recall", criterion=Misses(goal(), 0.75), status=Status.EXISTING)


def test_every_main_branch_run_is_tested():
    assert assess(5, WHOLE, [SKIPPED]) == (Tested.YES, ())


@pytest.mark.parametrize(
    ("executions", "facts", "verdicts", "reason"),
    [
        (0, {"completed": 0}, [SKIPPED], "no engine"),
        (0, {"completed": 0}, [Broken("cloud", "app.py::check", "our bug")], "our bug"),
        (0, {"completed": 0, "out_of_time": True}, [], "the time budget was spent"),
        (0, {"completed": 0, "interrupted": True}, [], "the run was interrupted"),
        (0, {"completed": 0}, [], "no run of it was possible"),
        (9, {"completed": 0, "endings": ("every run failed",)}, [], "every run failed"),
        (9, {"unreached": (BRANCH, OTHER)}, [], "none of its main branches ran"),
        (
            9,
            {"replaced": ("torch",)},
            [],
            "it ran on a stand-in for torch: install the real package to have it tested",
        ),
    ],
)
def test_what_ran_in_vain_is_not_tested(executions, facts, verdicts, reason):
    answer, reasons = assess(executions, replace(WHOLE, **facts), verdicts)
    assert answer is Tested.NO
    assert reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("facts", "verdicts", "reason"),
    [
        ({"unreached": (OTHER,)}, [], "1 of 2 main branches did not run: app.py:5 `y` true"),
        (
            {"main": 1, "unreached": (OTHER,), "decided": True},
            [],
            "1 of 1 main branches did not run: app.py:5 `y` true",
        ),
        ({"simulated": (BRANCH,)}, [], "reached with simulated answers alone: app.py:3 `x` true"),
        ({"answered": 0}, [], "no input was answered by an engine or a recording"),
        ({"out_of_time": True}, [], "the time budget was spent before its examination ended"),
        (
            {"refused": "the budget of 3 API calls is spent"},
            [],
            "the budget of 3 API calls is spent",
        ),
        ({}, [replace(SKIPPED, our_fault=True)], "no engine"),
        ({}, [replace(SKIPPED, goals=(BRANCH.point,))], "no engine"),
        ({}, [Broken("cloud", "app.py::check", "our bug")], "our bug"),
    ],
)
def test_what_is_left_makes_it_partly_tested(facts, verdicts, reason):
    assert assess(5, replace(WHOLE, **facts), verdicts) == (Tested.PARTLY, (reason,))


@pytest.mark.parametrize("field", ["unreached", "simulated"])
def test_branch_of_a_finding_was_judged(field):
    facts = replace(WHOLE, **{field: (BRANCH,)})
    assert assess(5, facts, [LOW]) == (Tested.YES, ())
    assert assess(5, facts, [replace(LOW, status=Status.FLAKY)])[0] is Tested.PARTLY
