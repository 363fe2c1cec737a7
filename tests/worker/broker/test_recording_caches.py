"""Nothing that one repository's code sends reaches another's run, or a trusted one."""

import hashlib

import pytest

from tests.worker.broker.engines import LABELS, CountingEngine
from worker.broker.api_broker import Broker
from worker.broker.recording_caches import RecordingCaches, RunRequester
from worker.engines.engine import FORK, ApiRequest, NoAnswer, WithheldEngine
from worker.engines.engine_selection import Engines
from worker.engines.recordings import ANY_ENGINE, RecordingLimits, ReplayEngine

OURS = b"a picture that our own source has drawn"
THEIRS = b"a picture that the tested code has made"


def run(folder, owner, *, engine=None, approved=True, private=True):
    """A run's broker, with one of our own pictures handed out."""
    standing = RunRequester(owner, approved, private)
    engine = engine or CountingEngine()
    asking = Broker(Engines([engine]), RecordingCaches.open(folder, standing, RecordingLimits()))
    asking.supplied([hashlib.sha256(OURS).hexdigest()])
    return asking, engine


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*.json")}


@pytest.mark.parametrize("content", [OURS, THEIRS])
@pytest.mark.parametrize("private", [True, False])
def test_same_repository_finds_its_answers(tmp_path, content, private):
    run(tmp_path, "octo/app", private=private)[0].answer(LABELS, ApiRequest(content))
    again, engine = run(tmp_path, "octo/app", private=private)
    again.answer(LABELS, ApiRequest(content))
    assert (engine.asked, again.cached) == (0, 1)


@pytest.mark.parametrize(
    ("content", "private"), [(THEIRS, True), (THEIRS, False), (OURS, True)], ids=str
)
def test_other_repository_learns_nothing(tmp_path, content, private):
    poisoned = CountingEngine()
    poisoned.asked = 665
    run(tmp_path, "evil/app", engine=poisoned, private=private)[0].answer(
        LABELS, ApiRequest(content)
    )
    other, engine = run(tmp_path, "octo/app", private=False)
    assert other.answer(LABELS, ApiRequest(content)) == {"asked": 1}
    assert (engine.asked, other.cached) == (1, 0)


def test_our_own_inputs_are_paid_once_for_public_repositories(tmp_path):
    run(tmp_path, "octo/app", private=False)[0].answer(LABELS, ApiRequest(OURS))
    for private in (False, True):
        other, engine = run(tmp_path, "octo/other", private=private)
        other.answer(LABELS, ApiRequest(OURS))
        assert (engine.asked, other.cached) == (0, 1)


def test_changed_input_is_no_longer_ours(tmp_path):
    run(tmp_path, "evil/app", private=False)[0].answer(LABELS, ApiRequest(OURS + b"!"))
    other, engine = run(tmp_path, "octo/app", private=False)
    other.answer(LABELS, ApiRequest(OURS + b"!"))
    assert engine.asked == 1


def test_other_parameters_are_another_question(tmp_path):
    asked = ApiRequest(OURS, parameters={"max_results": 1})
    run(tmp_path, "evil/app", private=False)[0].answer(LABELS, asked)
    other, engine = run(tmp_path, "octo/app", private=False)
    other.answer(LABELS, ApiRequest(OURS))
    assert engine.asked == 1


def test_fork_changes_nothing_on_disk(tmp_path):
    trusted, _ = run(tmp_path, "octo/app", private=False)
    trusted.answer(LABELS, ApiRequest(THEIRS))
    before = files(tmp_path)
    poisoned = CountingEngine()
    poisoned.asked = 665
    fork, _ = run(tmp_path, "octo/app", engine=poisoned, approved=False, private=False)
    assert fork.answer(LABELS, ApiRequest(b"new")) == {"asked": 666}
    assert fork.answer(LABELS, ApiRequest(b"new")) == {"asked": 666}
    assert fork.answer(LABELS, ApiRequest(THEIRS)) == {"asked": 1}
    fork.answer(LABELS, ApiRequest(OURS))
    assert files(tmp_path) == before


def test_approved_run_asks_anew_what_the_fork_asked(tmp_path):
    poisoned = CountingEngine()
    poisoned.asked = 665
    fork, _ = run(tmp_path, "octo/app", engine=poisoned, approved=False)
    fork.answer(LABELS, ApiRequest(OURS))
    approved, engine = run(tmp_path, "octo/app")
    assert approved.answer(LABELS, ApiRequest(OURS)) == {"asked": 1}
    assert engine.asked == 1


def test_fork_gets_recorded_answers_of_a_withheld_provider(tmp_path):
    run(tmp_path, "octo/app")[0].answer(LABELS, ApiRequest(THEIRS))
    fork, _ = run(
        tmp_path, "octo/app", engine=WithheldEngine(CountingEngine(), FORK), approved=False
    )
    assert fork.answer(LABELS, ApiRequest(THEIRS)) == {"asked": 1}
    with pytest.raises(NoAnswer, match="fork: not asked of paid engines until approved"):
        fork.answer(LABELS, ApiRequest(b"new"))
    assert (fork.calls, fork.dollars, fork.refused) == (0, 0.0, 1)


def test_replay_stays_within_the_repository(tmp_path):
    run(tmp_path, "evil/app")[0].answer(LABELS, ApiRequest(THEIRS))
    replay = ReplayEngine("google.vision", None)
    other, _ = run(tmp_path, "octo/app", engine=replay)
    assert replay.identity == ANY_ENGINE
    with pytest.raises(NoAnswer, match="was recorded"):
        other.answer(LABELS, ApiRequest(THEIRS))


@pytest.mark.parametrize("owner", ["../../evil", "common", "a/b", "a-b", "", "x" * 5000, "é/ü"])
def test_every_owner_has_one_folder_below(tmp_path, owner):
    root = tmp_path / "recordings"
    run(root, owner)[0].answer(LABELS, ApiRequest(THEIRS))
    (made,) = [place for place in root.iterdir() if place.name != ".parts"]
    assert made.name not in {"common", ""}
    assert [place.name for place in tmp_path.iterdir()] == ["recordings"]
    other, engine = run(root, owner + "?")
    other.answer(LABELS, ApiRequest(THEIRS))
    assert engine.asked == 1
