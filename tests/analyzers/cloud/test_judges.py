"""What the judges do where the world is not as the cases have it."""

from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from analyzers import catalogue
from analyzers.catalogue.canonical_answers import values_at, with_elements_kept, with_value_at
from analyzers.cloud.api_answers import (
    Reading,
    alone,
    human,
    meaning_of,
    reading_of,
    said,
    same_text,
    says_nothing,
    whole,
)
from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.cloud.repairs import label_repairs
from analyzers.cloud.repairs.related_words import UNAVAILABLE, NounGraph
from analyzers.cloud.stages.run_outcomes import crashes
from analyzers.criteria import is_informative
from analyzers.vocabulary import (
    BranchOutcome,
    ErrorOrigin,
    Exchange,
    Finding,
    Form,
    Input,
    InputArgument,
    InputKind,
    NotRun,
    Origin,
    Probe,
    Returned,
    Run,
    Skipped,
    TimedOut,
)
from tests.analyzers.cloud.bench import Case, FakeBench
from tests.analyzers.samples import goal, raised, run

APIS = catalogue.load_catalogue().apis
LABELS = APIS["google.vision.label_detection"]
FIRE = Case(
    source='def check(path):\n    if "Fire" in labels():\n        return 1\n',
    searched=(["Fire"], ["Sky"]),
    inputs={"Fire": [["Flame"]] * 10},
)


def examined(case, bench=None):
    return list(CloudAnalyzer().examine(case.target, bench or FakeBench(case)))


def test_missing_wordnet_is_the_reason_for_no_repair(monkeypatch, tmp_path):
    monkeypatch.setattr(label_repairs, "related", NounGraph(tmp_path))
    (finding,) = [v for v in examined(FIRE) if isinstance(v, Finding)]
    assert finding.evidence["no_repair"] == UNAVAILABLE
    assert finding.suggestion is None


class Spent(FakeBench):
    """A bench whose time is over once the witnesses have been replayed."""

    calls = 0

    def run(self, probes):
        self.calls += 1
        return super().run(probes) if self.calls < 4 else [Run(NotRun("spent"))] * len(probes)


def test_labels_that_could_not_be_tried_are_not_unknown():
    case = Case(
        source='def check(path):\n    if "pants" in labels():\n        return 1\n',
        searched=(["pants"], ["Sky"]),
    )
    assert [v.rule for v in examined(case) if isinstance(v, Finding)] == ["cloud/unknown-label"]
    assert not [v for v in examined(case, Spent(case)) if isinstance(v, Finding)]


def test_verdicts_stream_out_before_the_end():
    case = Case(
        source="def check(path):\n    return labels()[0]\n",
        searched=(["Sky"],),
        inputs={"": [[]]},
    )
    bench = FakeBench(case)
    verdict = next(CloudAnalyzer().examine(case.target, bench))
    assert isinstance(verdict, Finding)
    assert bench.wanted == [None]


def test_function_that_cannot_be_called_says_so():
    case = Case(source=FIRE.source, obstacle="")
    (skipped,) = examined(case)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "the function could not be called"


@pytest.mark.parametrize(
    ("api", "told"), [("google.vision.label_detection", 1), ("openai.chat_completions", 0)]
)
def test_error_on_an_answer_with_fields_that_nothing_models_is_not_the_codes_own(api, told):
    case = Case(source="def check(path):\n    return labels()[0]\n")
    shown = Input(InputKind.IMAGE, b"", "a dog", "dog", ".png", Origin("drawn"))
    probe = Probe("app.py::check", {"path": InputArgument(Form.PATH, shown)})
    seen = run(ending=raised(line=2, origin=ErrorOrigin.ANSWERS), exchanges=[Exchange(api, "", {})])
    look = SimpleNamespace(
        target=case.target,
        bench=FakeBench(case),
        asked=(APIS[api],),
        executed=[(probe, seen)],
        searched=SimpleNamespace(crashes=()),
        crashes=Mock(
            **{
                "findings.return_value": (),
                "undecided.return_value": (),
                "is_an_answers_doing.return_value": False,
            }
        ),
        is_own_error=lambda run: False,
    )
    assert [finding.rule for finding in crashes(look)] == ["code/error"] * told


ANSWER = {
    "a": [{"b": 1, "kind": "x"}, {"c": 2}, {"b": 3, "kind": "y"}],
    "text": "ab",
    "flags": {"on": True, "off": False, "joy": "VERY_LIKELY", "anger": "POSSIBLE"},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a[].b", [1, 3]),
        ("a[0].b", [1]),
        ("a[^b].kind", ["y"]),
        ("a[kind=x].b", [1]),
        ("a[kind=z].b", []),
        ("flags{}", ["on", "joy"]),
        ("flags.{}", ["on", "joy"]),
        ("text{}", []),
        ("text[]", []),
        ("text[0]", []),
        ("a.b", []),
        ("nothing", []),
    ],
)
def test_values_follow_the_catalogues_paths(path, found):
    assert values_at(ANSWER, path) == found


@pytest.mark.parametrize(
    ("path", "place", "found"),
    [
        ("a[].b", "a[].b", [9, 9]),
        ("a[^b].kind", "a[].kind", ["x", 9]),
        ("text", "text", [9]),
        ("flags{}", "flags{}", ["on", "joy"]),
        ("text[]", "text", ["ab"]),
        ("nothing.there", "text", ["ab"]),
    ],
)
def test_value_is_put_wherever_a_path_leads(path, place, found):
    assert values_at(with_value_at(ANSWER, path, 9), place) == found


def test_path_that_takes_no_list_keeps_everything():
    assert (
        with_elements_kept(ANSWER, "text", bool)
        == with_elements_kept(ANSWER, "a[0].b", bool)
        == ANSWER
    )
    assert with_elements_kept({}, "a[].b", bool) == {}


def test_step_that_is_none_is_refused():
    with pytest.raises(ValueError, match="no step"):
        values_at({}, "a[")


@pytest.mark.parametrize(
    ("score", "polarity"),
    [(0.9, "positive"), (-0.9, "negative"), (0.1, "neutral"), ("high", "neutral")],
)
def test_polarity_is_the_sign_of_a_clear_score(score, polarity):
    api = APIS["google.language.analyze_sentiment"]
    answer = {"document_sentiment": {"score": score}}
    assert reading_of(api, answer, "") == Reading("sentiment", polarity)


def test_label_in_the_condition_is_the_one_meant():
    answer = {"label_annotations": [{"description": name} for name in ("Sky", "Fire")]}
    assert reading_of(LABELS, answer, '"fire" in names') == Reading("labels", "Fire")
    assert reading_of(LABELS, answer, "names[0] == wanted") == Reading("labels", "Sky")
    assert reading_of(LABELS, {}, "names") is None


NOTHING = {"tags": {"list": []}, "read": {"blocks": []}}
CAPTION = {"caption": {"text": "a dog on grass"}}
LINES = {"read": {"blocks": [{"lines": [{"text": "EXIT"}, {"text": "ONLY"}]}]}}
EMOTIONS = [{"Type": "SAD", "Confidence": 2.0}, {"Type": "HAPPY", "Confidence": 97.0}]


@pytest.mark.parametrize(
    ("api", "answer", "reading"),
    [
        ("aws.comprehend.detect_sentiment", {"Sentiment": "MIXED"}, ("sentiment", "mixed")),
        ("azure.language.analyze_sentiment", {"sentiment": "negative"}, ("sentiment", "negative")),
        (
            "aws.rekognition.detect_faces",
            {"FaceDetails": [{"Emotions": EMOTIONS}]},
            ("faces", "happy human face"),
        ),
        (
            "google.vision.face_detection",
            {"face_annotations": [{"joy_likelihood": "LIKELY", "blurred_likelihood": "LIKELY"}]},
            ("faces", "joyful human face"),
        ),
        (
            "google.vision.face_detection",
            {"face_annotations": [{"blurred_likelihood": "LIKELY"}]},
            ("faces", "blurred human face"),
        ),
        (
            "google.vision.face_detection",
            {
                "face_annotations": [
                    {"joy_likelihood": "POSSIBLE", "blurred_likelihood": "UNLIKELY"}
                ]
            },
            None,
        ),
        ("azure.vision.analyze", {**NOTHING, **CAPTION}, ("caption", "a dog on grass")),
        ("azure.vision.analyze", {**CAPTION, **LINES}, ("text", "EXIT\nONLY")),
        ("azure.vision.analyze", NOTHING, None),
        (
            "openai.moderations",
            {"results": [{"categories": {"hate": True, "violence": False}}]},
            ("moderation", "hate"),
        ),
        ("openai.transcriptions", {"text": " "}, None),
        ("google.vision.web_detection", {"web_detection": {}}, None),
    ],
)
def test_answer_is_read_through_its_description(api, answer, reading):
    assert reading_of(APIS[api], answer, "") == (reading and Reading(*reading))


def test_usual_caption_is_not_what_code_waits_for():
    api = APIS["azure.vision.analyze"]
    usual = catalogue.load_catalogue().ordinary[api.name]
    assert reading_of(api, {**NOTHING, "caption": usual["caption"]}, "") is None


def test_answer_says_one_label_alone():
    answer = {"tags": {"list": [{"name": "sky"}, {"name": "fire"}]}, "metadata": {}}
    meaning = meaning_of(APIS["azure.vision.analyze"])
    assert said(meaning, alone(meaning, answer, "fire")) == ("fire",)
    assert alone(meaning, {}, "fire") == {}
    assert alone(None, answer, "fire") == answer


def test_text_is_left_whole():
    answer = {"text_annotations": [{"description": "a b"}, {"description": "a"}]}
    meaning = meaning_of(APIS["google.vision.text_detection"])
    assert alone(meaning, answer, "a b") == answer
    assert whole(meaning, answer) == "a b"


def test_task_that_an_api_does_not_have_means_nothing():
    assert meaning_of(LABELS, "caption") is None
    assert said(None, {"label_annotations": []}) == ()


def test_class_is_known_in_any_case():
    meaning = meaning_of(APIS["huggingface.text_classification"])
    assert human(meaning, "positive") == "positive"
    assert human(meaning, "LABEL_1") is None


@pytest.mark.parametrize(
    ("api", "answer", "nothing"),
    [
        ("aws.rekognition.detect_labels", {"Labels": [], "LabelModelVersion": "3.0"}, True),
        ("aws.rekognition.detect_labels", {"Labels": [{"Name": "Cat"}]}, False),
        ("google.vision.web_detection", {"web_detection": {}}, True),
        ("google.vision.web_detection", {"web_detection": {"web_entities": [1]}}, False),
    ],
)
def test_nothing_is_found_where_the_meaning_is_empty(api, answer, nothing):
    assert says_nothing(APIS[api], answer) is nothing


def test_lines_do_not_make_another_text():
    assert same_text("GRAND\nTOTAL ", "GRAND TOTAL")
    assert not same_text("GRANDTOTAL", "GRAND TOTAL")


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Returned("1"), True),
        (raised(), True),
        (raised(standin=True), False),
        (raised("FileNotFoundError"), False),
        (TimedOut(5.0), False),
        (NotRun("no engine"), False),
    ],
)
def test_run_that_was_cut_short_tells_nothing(ending, expected):
    assert is_informative(goal(), run(ending=ending)) is expected
    assert is_informative(goal(), run(goal().whole(BranchOutcome.FALSE).id, ending=ending))
