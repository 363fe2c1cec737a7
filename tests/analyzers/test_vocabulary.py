"""What the nouns say of themselves."""

from dataclasses import FrozenInstanceError, replace

import pytest

from analyzers.vocabulary import (
    ApiCall,
    BranchOutcome,
    Exchange,
    Form,
    InertArgument,
    Input,
    InputArgument,
    InputKind,
    LiteralArgument,
    Origin,
    Probe,
)
from tests.analyzers.samples import finding, goal, target

ITEM = Input(InputKind.IMAGE, b"a picture", "a cat", "cat", ".png", Origin("drawn"))
ANSWER = (Exchange("google.vision.label_detection", "digest", {}),)


def test_nouns_are_frozen():
    with pytest.raises(FrozenInstanceError):
        goal().line = 4


def test_goals_are_addressed_without_lines():
    assert goal(line=9).id == goal().id == "app.py::check#0:true"
    assert goal(clause=1, member="'a'").id == "app.py::check#0.1='a':true"
    assert goal(clause=1).decision_id == "app.py::check#0"


def test_whole_goal_is_its_decision():
    whole = goal(clause=1, member="'a'", text="x", outcome=BranchOutcome.FALSE).whole()
    assert whole == goal(outcome=BranchOutcome.FALSE)
    assert whole.whole(BranchOutcome.TRUE) == goal()


def test_targets_name_their_apis_once():
    calls = tuple(ApiCall(api, "app.py", "check", 1) for api in ("b", "a", "b"))
    assert replace(target(), calls=calls).apis == ("a", "b")
    assert target().id == "app.py::check"


def test_input_goes_into_every_slot():
    slots = {
        "image": InputArgument(Form.PATH),
        "copy": InputArgument(Form.BYTES),
        "n": LiteralArgument("1"),
    }
    probe = Probe("t", {**slots, "client": InertArgument()}, ANSWER).with_input(ITEM)
    assert probe.inputs == (ITEM, ITEM)
    assert probe.arguments["n"] == LiteralArgument("1")
    assert probe.script is None


def test_template_has_no_inputs():
    assert Probe("t", {"image": InputArgument(Form.PATH), "n": LiteralArgument("1")}).inputs == ()


def test_answers_of_a_run_are_recorded():
    assert Probe("t", {}).answered(ANSWER).script == ANSWER
    assert Probe("t", {}).answered(()).script == ()


def test_given_answers_outlast_a_death():
    assert Probe("t", {}, ANSWER).answered(()).script == ANSWER


def test_digest_is_of_the_content_alone():
    assert replace(ITEM, description="a dog").digest == ITEM.digest
    assert replace(ITEM, content=b"another").digest != ITEM.digest
    assert len(ITEM.digest) == 64


def test_fingerprint_outlasts_line_shifts():
    assert finding(line=90, end_line=91, title="other").fingerprint == finding().fingerprint


@pytest.mark.parametrize(
    "changes",
    [{"rule": "cloud/low-recall"}, {"symbol": "app.py::other"}, {"input_kind": "image:cat"}],
)
def test_fingerprint_tells_causes_apart(changes):
    assert finding(**changes).fingerprint != finding().fingerprint
