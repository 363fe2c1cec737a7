import pytest

from tests.worker.github_app.publishing.documents import document
from tests.worker.report import samples
from worker.store.conclusions import conclusion_of
from worker.store.records import Policy, RunState

PASSING = {"success", "skipped", "neutral"}


def concluded(verdict, policy=None, **changes):
    return conclusion_of(
        RunState.DONE, {**document(), "verdict": verdict, **changes}, policy or Policy()
    )


@pytest.mark.parametrize("verdict", ["success", "skipped", "neutral", "failure"])
def test_verdict_is_the_conclusion(verdict):
    assert concluded(verdict) == verdict


def test_gate_may_turn_failures_into_advice():
    assert concluded("failure", Policy(gate="neutral")) == "neutral"


@pytest.mark.parametrize("state", [RunState.DONE, RunState.FAILED])
def test_lost_and_failed_runs_ask_for_action(state):
    assert conclusion_of(state, None, Policy()) == "action_required"
    assert conclusion_of(state, None, Policy(fail_open=True)) == "neutral"


def test_outage_asks_for_action():
    assert concluded("error") == "action_required"
    assert concluded("error", Policy(fail_open=True)) == "neutral"


@pytest.mark.parametrize("verdict", ["success", "skipped"])
@pytest.mark.parametrize(
    "broken",
    [
        {"broken": [{"analyzer": "engines", "target": "", "error": "down"}]},
        {"partial": True},
        {"skipped": [{"analyzer": "c", "target": "t", "reason": "r", "our_fault": True}]},
    ],
)
def test_outage_never_passes(verdict, broken):
    assert concluded(verdict, **broken) == "action_required"


def test_failed_run_is_never_a_failure_of_the_author():
    for document_ in (None, document(samples.crash())):
        assert conclusion_of(RunState.FAILED, document_, Policy()) == "action_required"


def test_cancelled_runs_are_cancelled():
    assert conclusion_of(RunState.CANCELLED, None, Policy(fail_open=True)) == "cancelled"


@pytest.mark.parametrize("state", [RunState.PREPARING, RunState.QUEUED, RunState.RUNNING])
def test_runs_under_way_have_no_conclusion(state):
    with pytest.raises(ValueError, match="has no conclusion"):
        conclusion_of(state, None, Policy())
