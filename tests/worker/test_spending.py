"""What a run may spend: the lower of the maintainers' and the operator's word."""

from pathlib import Path

import pytest

from worker.broker.recording_caches import RunRequester
from worker.check.check_plan import CheckRequest, _notes
from worker.check.plan_run import _broker
from worker.engines.engine import ApiRequest, NoAnswer
from worker.settings.operator_settings import (
    BudgetSettings,
    EngineSettings,
    RecordingSettings,
    Settings,
)
from worker.settings.repository_configuration import Budget, Configuration

LABELS = "google.vision.label_detection"


def settings(tmp_path, **budget):
    return Settings(
        budget=BudgetSettings(**budget),
        recordings=RecordingSettings(folder=tmp_path),
        engines={"google.vision": EngineSettings(endpoint="http://127.0.0.1:1")},
    )


def refusal(tmp_path, asked, **operators):
    broker = _broker(
        CheckRequest(Path()),
        RunRequester("us/ours"),
        settings(tmp_path, **operators),
        Configuration(budget=asked),
    )
    with pytest.raises(NoAnswer) as refused:
        broker.answer(LABELS, ApiRequest(b"x"))
    return str(refused.value)


@pytest.mark.parametrize(
    ("asked", "operators", "said"),
    [
        (Budget(api_calls=0), {}, "budget of 0 API calls"),
        (Budget(api_calls=10**9), {"api_calls": 0}, "budget of 0 API calls"),
        (Budget(api_dollars=0.001), {}, r"budget of $0.001"),
        (Budget(api_dollars=1000.0), {"api_dollars": 0.001}, r"budget of $0.001"),
        (Budget(), {"api_dollars": 0}, r"budget of $0 "),
    ],
)
def test_lower_limit_holds(tmp_path, asked, operators, said):
    assert said in refusal(tmp_path, asked, **operators)


def test_report_says_that_a_fork_was_kept_from_providers(tmp_path):
    fork = CheckRequest(Path(), everything=True, requester=RunRequester("octo/app", approved=False))
    (note,) = _notes(fork, settings(tmp_path))
    assert note.startswith("google.vision: fork: not asked of paid engines until approved")
    assert _notes(fork, Settings()) == ()
    assert _notes(CheckRequest(Path(), everything=True), settings(tmp_path)) == ()
