"""Probes and runs in the words of the protocol."""

import pytest

from analyzers.vocabulary import (
    AskedInput,
    Exchange,
    Form,
    InertArgument,
    Input,
    InputArgument,
    InputKind,
    LiteralArgument,
    NotRun,
    Origin,
    Probe,
    Raised,
    Returned,
    TimedOut,
)
from worker.executor.probe_codec import (
    LONGEST_TEXT,
    argument_frame,
    ending_of,
    plain_input,
    run_frame,
    run_of,
    searched_of,
)

PICTURE = Input(InputKind.IMAGE, b"png", "a cat", "cat", ".png", Origin("drawn"))
POINTS = ("a.py::f#0:true", "a.py::f#0:false")


def test_arguments_are_written_by_kind():
    assert argument_frame(LiteralArgument("'a'")) == {"kind": "literal", "source": "'a'"}
    assert argument_frame(InertArgument()) == {"kind": "inert"}
    assert argument_frame(InputArgument(Form.PATH, PICTURE)) == {
        "kind": "content",
        "form": "path",
        "blob": PICTURE.digest,
        "suffix": ".png",
    }


def test_missing_input_is_a_missing_blob():
    assert argument_frame(InputArgument(Form.PATH))["blob"] is None


def test_every_input_is_sent_once():
    probe = Probe(
        "t", {"a": InputArgument(Form.PATH, PICTURE), "b": InputArgument(Form.BYTES, PICTURE)}
    )
    frame = run_frame([probe, probe], 2.0)
    assert frame["blobs"] == {PICTURE.digest: b"png"}
    assert len(frame["probes"]) == 2
    assert frame["seconds"] == 2.0


def test_scripts_tell_asking_from_silence():
    asking, silent = Probe("t", {}), Probe("t", {}, ())
    scripted = Probe("t", {}, (Exchange("api", "digest", {"a": 1}),))
    scripts = [each["script"] for each in run_frame([asking, silent, scripted], 1.0)["probes"]]
    assert scripts == [None, [], [{"api": "api", "answer": {"a": 1}, "digest": "digest"}]]


def result(**changes):
    facts = {"ending": {"kind": "returned", "value": "1"}, "hits": [1], "exchanges": []}
    return {**facts, "index": 0, "seconds": 0.5, **changes}


def test_hits_are_points_by_number():
    run = run_of(result(), POINTS)
    assert run.hits == {POINTS[1]}
    assert (run.ending, run.seconds) == (Returned("1"), 0.5)


def test_points_that_do_not_exist_are_not_hit():
    assert run_of(result(hits=[0, 7]), POINTS).hits == {POINTS[0]}


def test_addresses_asked_in_vain_are_kept():
    assert run_of(result(), POINTS).outside == ()
    assert run_of(result(outside=["example.com:443"]), POINTS).outside == ("example.com:443",)


@pytest.mark.parametrize(
    ("api", "part", "kind"),
    [
        ("google.vision.label_detection", "content", InputKind.IMAGE),
        ("google.vision.label_detection", "uri", InputKind.VALUE),
        ("google.speech.recognize", "content", InputKind.AUDIO),
        ("google.language.analyze_sentiment", "text", InputKind.TEXT),
        ("google.language.analyze_sentiment", "content", InputKind.VALUE),
        ("nobody.knows.this", "content", InputKind.VALUE),
    ],
)
def test_what_was_asked_about_is_what_the_api_takes(api, part, kind):
    told = {"api": api, "part": part, "digest": "a" * 64, "size": 3}
    assert run_of(result(), POINTS).asked == ()
    assert run_of(result(asked=[told]), POINTS).asked == (AskedInput(api, kind, "a" * 64, 3),)


def test_exchanges_are_kept_in_order():
    said = [{"api": "b", "digest": "1", "answer": {}}, {"api": "a", "digest": "2", "answer": {}}]
    assert [e.api for e in run_of(result(exchanges=said), POINTS).exchanges] == ["b", "a"]


@pytest.mark.parametrize(
    ("frame", "ending"),
    [
        ({"kind": "returned", "value": "x" * 9000}, Returned("x" * LONGEST_TEXT)),
        ({"kind": "timed-out", "seconds": 2}, TimedOut(2.0)),
        ({"kind": "not-run", "reason": "no engine"}, NotRun("no engine")),
        (
            {
                "kind": "raised",
                "exception": "KeyError",
                "message": "'a'",
                "path": "a.py",
                "line": 3,
                "function": "f",
                "refusal": False,
                "standin": True,
            },
            Raised("KeyError", "'a'", "a.py", 3, "f", refusal=False, standin=True),
        ),
    ],
)
def test_endings_are_read_by_kind(frame, ending):
    assert ending_of(frame) == ending


SLOT = {"path": {"kind": "content", "form": "path"}, "n": {"kind": "literal", "source": "1"}}
SEARCHED = {
    "template": {"arguments": {**SLOT, "client": {"kind": "inert"}}},
    "witnesses": [
        {
            "goal": "g",
            "arguments": SLOT,
            "script": [{"api": "api", "answer": {"a": 1}, "digest": "digest"}],
            "confirmed": True,
        }
    ],
    "crashes": [
        {
            "arguments": SLOT,
            "script": [{"api": "api", "answer": {}}],
            "ending": {"kind": "timed-out", "seconds": 1},
        }
    ],
    "exhausted": ["g2"],
    "bound": "3 labels",
    "constants": {"g2": ["Fire"]},
    "obstacle": None,
    "executions": 12,
}


GOALS = {"g", "g2"}


def test_search_says_nothing_of_other_goals():
    searched = searched_of(SEARCHED, "t", {"mine"})
    assert (searched.witnesses, searched.exhausted, searched.constants) == ((), (), {})


def test_goal_with_a_witness_is_not_exhausted():
    frame = {**SEARCHED, "exhausted": ["g", "g2"]}
    assert searched_of(frame, "t", GOALS).exhausted == ("g2",)


def test_search_results_are_read_whole():
    searched = searched_of(SEARCHED, "t", GOALS)
    assert searched.template.arguments["client"] == InertArgument()
    assert searched.template.arguments["n"] == LiteralArgument("1")
    (witness,) = searched.witnesses
    assert (witness.goal, witness.confirmed) == ("g", True)
    assert witness.probe.script == (Exchange("api", "", {"a": 1}),)
    ((probe, run),) = searched.crashes
    assert (run.ending, run.exchanges) == (TimedOut(1.0), probe.script)
    assert (searched.exhausted, searched.bound) == (("g2",), "3 labels")
    assert searched.constants == {"g2": ("Fire",)}
    assert searched.executions == 12


def test_slots_hold_an_input_that_means_nothing():
    searched = searched_of(SEARCHED, "t", GOALS)
    for probe in (searched.template, searched.witnesses[0].probe, searched.crashes[0][0]):
        (item,) = probe.inputs
        assert (item.origin, item.reading) == (Origin("plain"), None)


def test_function_that_cannot_be_called_has_no_template():
    searched = searched_of({**SEARCHED, "template": None, "obstacle": "no way in"}, "t", GOALS)
    assert (searched.template, searched.obstacle) == (None, "no way in")


@pytest.mark.parametrize(
    ("form", "suffix", "kind"),
    [
        ("path", ".txt", InputKind.TEXT),
        ("bytes", ".wav", InputKind.AUDIO),
        ("path", ".png", InputKind.IMAGE),
        ("text", ".png", InputKind.TEXT),
        ("bytes", None, InputKind.IMAGE),
    ],
)
def test_slot_is_filled_with_what_it_takes(form, suffix, kind):
    slot = {"kind": "content", "form": form, "blob": None, "suffix": suffix}
    frame = {
        "template": {"arguments": {"open('a')": slot}},
        **{name: [] for name in ("witnesses", "crashes", "exhausted")},
        "bound": "",
        "constants": {},
        "obstacle": None,
        "executions": 1,
    }
    template = searched_of(frame, "t", frozenset()).template
    assert template is not None
    (content,) = template.arguments.values()
    assert isinstance(content, InputArgument)
    assert content.input is not None
    assert content.input.kind is kind


@pytest.mark.parametrize(("blob", "text"), [("opening-1", b"b"), ("opening-2", None), ("x", None)])
def test_text_that_the_code_took_is_the_templates(blob, text):
    slot = {"kind": "content", "form": "text", "blob": blob}
    frame = {**SEARCHED, "template": {"arguments": {"body": slot}}}
    content = searched_of(frame, "t", frozenset(), ("a", "b")).template.inputs[0].content
    assert content == text if text else content == plain_input(Form.TEXT).content
