"""What the host counts of a target's runs, and what that says of its branches."""

from dataclasses import replace

import pytest

from analyzers.vocabulary import (
    ApiCall,
    Exchange,
    MainBranch,
    Raised,
    Returned,
    Run,
    TimedOut,
)
from tests.worker.broker.engines import CountingEngine
from tests.worker.sessions import LABELS, answered, laboratory, target, tree
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_counts import ExecutionCounts
from worker.executor.sandbox_executor import SandboxExecutor

TRUE, FALSE = (
    MainBranch(f"app.py::check#0:{way}", way, on_answer=True) for way in ("true", "false")
)
ASKED = (Exchange(LABELS, "digest", {}),)
LIBRARY = replace(target(), calls=(ApiCall("torch.relu", "app.py", "check", 2),))


def counted(*runs, of=None, script=None):
    counts = ExecutionCounts(of or target())
    for run in runs:
        counts.ran(replace(answered(), script=script), run)
    return counts.coverage((TRUE, FALSE))


def test_answer_of_an_engine_judges_its_branch():
    facts = counted(Run(Returned("1"), frozenset({TRUE.point}), ASKED))
    assert (facts.completed, facts.answered, facts.simulated) == (1, 1, ())
    assert facts.unreached == (FALSE,)


def test_simulated_answer_judges_no_branch():
    facts = counted(Run(Returned("1"), frozenset({TRUE.point}), ASKED), script=ASKED)
    assert (facts.completed, facts.answered, facts.simulated) == (1, 0, (TRUE,))


def test_proof_stands_for_a_run():
    counts = ExecutionCounts(target(), unreachable={FALSE.point})
    assert counts.coverage((TRUE, FALSE)).unreached == (TRUE,)


RAISED = Raised("IndexError", "", "app.py", 3, "check")


@pytest.mark.parametrize(
    ("ending", "of", "said"),
    [
        (RAISED, LIBRARY, "every run ended with IndexError at app.py:3"),
        (
            replace(RAISED, refusal=True),
            LIBRARY,
            "every run was refused by the code with IndexError",
        ),
        (TimedOut(5.0), LIBRARY, "every run took longer than 5 s"),
        (Returned("1"), target(), f"every run returned before it called {LABELS}"),
    ],
)
def test_what_ended_every_run_is_said(ending, of, said):
    facts = counted(Run(ending), Run(ending), of=of)
    assert facts.completed == 0
    assert facts.endings[0].startswith(said)


def test_library_that_returns_has_done_its_work():
    assert counted(Run(Returned("1")), Run(RAISED), of=LIBRARY).completed == 1


def test_spent_budget_for_calls_is_a_fact(tmp_path):
    head = tree(tmp_path / "head", app="def check(path):\n    return 1\n")
    bare = laboratory(head, head)
    broker = Broker(Engines([CountingEngine()]), Recordings(None), ApiBudget(0))
    bench = SandboxExecutor(replace(bare, broker=broker), target(), float("inf"))
    assert bench.coverage().refused == ""
    with pytest.raises(NoAnswer):
        broker.answer(LABELS, ApiRequest(b"x"))
    assert bench.coverage().refused.startswith("the budget of 0 API calls is spent")
