"""What the judges do where the world is not as the cases have it."""

import pytest

from analyzers import catalogue
from analyzers.cloud import labels
from analyzers.cloud.analyzer import CloudAnalyzer
from analyzers.cloud.answers import alone, labels_of, polarity_of, reading_of, same_text, values
from analyzers.cloud.related import UNAVAILABLE, Nouns
from analyzers.judging import tells
from analyzers.vocabulary import Finding, NotRun, Outcome, Returned, Run, Skipped, TimedOut
from tests.analyzers.cloud.bench import Case, FakeBench
from tests.analyzers.samples import goal, raised, run

LABELS = catalogue.load()["google.vision.label_detection"]
TEXT = catalogue.load()["google.vision.text_detection"]
FIRE = Case(
    source='def check(path):\n    if "Fire" in labels():\n        return 1\n',
    searched=(["Fire"], ["Sky"]),
    inputs={"Fire": [["Flame"]] * 10},
)


def said(*names):
    return {"label_annotations": [{"description": name} for name in names]}


def examined(case, bench=None):
    return list(CloudAnalyzer().examine(case.target, bench or FakeBench(case)))


def test_missing_wordnet_is_the_reason_for_no_repair(monkeypatch, tmp_path):
    monkeypatch.setattr(labels, "related", Nouns(tmp_path))
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


def test_values_follow_the_catalogues_paths():
    answer = {"a": [{"b": 1}, {"c": 2}, {"b": 3}], "text": "ab"}
    assert values(answer, "a[].b") == [1, 3]
    assert values(answer, "text[]") == []
    assert values(answer, "a.b") == []
    assert values(answer, "nothing") == []


@pytest.mark.parametrize(
    ("score", "polarity"),
    [(0.9, "positive"), (-0.9, "negative"), (0.1, "neutral"), (None, "neutral")],
)
def test_polarity_is_the_sign_of_a_clear_score(score, polarity):
    assert polarity_of({"document_sentiment": {"score": score}}) == polarity
    assert polarity_of({}) == "neutral"


def test_label_in_the_condition_is_the_one_meant():
    assert reading_of(LABELS, said("Sky", "Fire"), '"fire" in names') == "Fire"
    assert reading_of(LABELS, said("Sky", "Fire"), "names[0] == wanted") == "Sky"
    assert reading_of(LABELS, {}, "names") is None


def test_sentiment_is_read_as_a_polarity():
    api = catalogue.load()["google.language.analyze_sentiment"]
    assert reading_of(api, {"document_sentiment": {"score": -0.9}}, "") == "negative"


def test_answer_says_one_label_alone():
    assert labels_of(LABELS, alone(LABELS, said("Sky", "Fire"), "Fire")) == ("Fire",)
    assert alone(LABELS, {}, "Fire") == {}
    whole = {"text_annotations": [{"description": "a b"}, {"description": "a"}]}
    assert alone(TEXT, whole, "a b")["text_annotations"] == [{"description": "a b"}]


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
    assert tells(goal(), run(ending=ending)) is expected
    assert tells(goal(), run(goal().whole(Outcome.FALSE).id, ending=ending))
