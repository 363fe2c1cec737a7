"""Texts are passed so that the API is asked about the ones that were meant."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.cloud.inversion import Inverter, TextSimilarity, altered
from analyzers.cloud.inversion.code_hints import hints_of
from analyzers.cloud.inversion.inverse_search import text_similarity
from analyzers.vocabulary import (
    ApiCall,
    AskedInput,
    Exchange,
    Finding,
    Form,
    Input,
    InputArgument,
    InputKind,
    Origin,
    Probe,
    Raised,
    Reason,
    Returned,
    Run,
    Target,
)
from tests.analyzers.cloud.bench import Case, FakeBench

API = "google.language.analyze_sentiment"
LABELS = "google.vision.label_detection"
NEUTRAL = (Exchange(API, "", {"document_sentiment": {"score": 0.1, "magnitude": 0.1}}),)
TARGET = Target("app.py", "feel", 1, 9, Reason.CHANGED, (ApiCall(API, "app.py", "feel", 2),))
TEMPLATE = Probe(TARGET.id, {"text": InputArgument(Form.TEXT)})
REVIEWS = ("Great food, friendly people", "I would not come back here", "It rained. We left early")


def asked(text, api=API):
    encoded = text.encode()
    digest = hashlib.sha256(encoded).hexdigest()
    return AskedInput(api, InputKind.TEXT, digest, len(encoded), text[:4000])


class FunctionBench:
    """Runs a Python function that says what it would ask; ``seconds`` are what each run took."""

    def __init__(self, source, seconds=0.0, *, telling=True):
        self._source = source
        self._seconds = seconds
        self._telling = telling
        names = {"json": json, "re": re, "base64": base64}
        exec(source, names)
        self._function = names["feel"]
        self.runs = 0

    def source(self, path):
        return self._source

    def run(self, probes):
        self.runs += len(probes)
        return [self._run_one(probe) for probe in probes]

    def _run_one(self, probe):
        try:
            texts = self._function(probe.inputs[0].content.decode())
        except Exception as error:  # noqa: BLE001 - whatever the code raises
            ending = Raised(type(error).__name__, "", "app.py", error.__traceback__.tb_lineno, "")
            return Run(ending, seconds=self._seconds)
        texts = [texts] if isinstance(texts, str) else texts or []
        told = tuple(asked(text) for text in texts) if self._telling else ()
        return Run(Returned("0"), frozenset(), NEUTRAL[: len(texts)], self._seconds, (), told)


def review(text):
    return Input(InputKind.TEXT, text.encode(), "a review", "positive", ".txt", Origin("rated"))


def passed(bench, texts=REVIEWS, template=TEMPLATE, script=NEUTRAL):
    return Inverter(TARGET, bench, script).passed(API, template, [review(text) for text in texts])


CHANGES = {
    "first character": "return text[1:]",
    "both ends": "return text[4:-3]",
    "command": "return text[6:] if text.startswith('!mood ') else None",
    "second field": "return text.split('|')[1]",
    "field among numbers": "number, said = text.split(';'); int(number); return said",
    "delimiters": "return text[text.index('<<') + 2 : text.index('>>')]",
    "pattern": "return re.search(r'says \"(.*)\"', text).group(1)",
    "backwards": "return text[::-1]",
    "words backwards": "return ' '.join(reversed(text.split()))",
    "shifted": "return ''.join(chr(ord(c) - 1) for c in text)",
    "base64": "return base64.b64decode(text, validate=True).decode()",
    "JSON": "return json.loads(text)['message']['text']",
    "base64 of JSON": "return json.loads(base64.b64decode(text))['text']",
    "second line in lower case": "return text.splitlines()[1].lower()",
    "data URL": "return base64.b64decode(text.split('base64,')[1]).decode()",
}


@pytest.mark.parametrize("body", CHANGES.values(), ids=CHANGES)
def test_change_is_undone(body):
    bench = FunctionBench(f"def feel(text):\n    {body}\n")
    found = passed(bench)
    assert found.meant == REVIEWS
    assert found.shortfall is None
    for item, meant, run in zip(found.inputs, REVIEWS, bench.run(_probes(found)), strict=True):
        assert item.content.decode() != meant
        assert item.reading == "positive"
        assert text_similarity(meant, run.asked) is not None


def _probes(found):
    return [TEMPLATE.with_input(item) for item in found.inputs]


HARMLESS = {
    "as it is": ("return text", TextSimilarity.EXACT),
    "other case": ("return text.upper()", TextSimilarity.CASE),
    "without punctuation": (r"return re.sub(r'[^\w\s]', '', text)", TextSimilarity.WORDS),
    "greeted": ("return f'Dear all, {text}'", TextSimilarity.WITHIN),
    "sentence by sentence": ("return text.split('. ')", TextSimilarity.PARTS),
}


@pytest.mark.parametrize(("body", "like"), HARMLESS.values(), ids=HARMLESS)
def test_text_that_arrives_is_passed_as_it_is(body, like):
    bench = FunctionBench(f"def feel(text):\n    {body}\n")
    found = passed(bench)
    assert [item.content.decode() for item in found.inputs] == list(REVIEWS)
    assert bench.runs == len(REVIEWS)
    likes = [
        text_similarity(text, run.asked)
        for text, run in zip(REVIEWS, bench.run(_probes(found)), strict=True)
    ]
    assert max(likes) is like


def test_text_that_cannot_be_asked_about_is_left_out():
    found = passed(
        FunctionBench("def feel(text):\n    return text[:16]\n"), ("Short one", *REVIEWS)
    )
    assert found.meant == ("Short one",)
    assert found.shortfall == (
        "3 texts were left out: the code changes the text before it asks: "
        "asked about “Great food, frie” instead of “Great food, friendly people”"
    )


def test_text_that_no_inverse_brings_is_never_swapped():
    found = passed(FunctionBench("def feel(text):\n    return 'always the same'\n"))
    assert found.inputs == ()
    assert "asked about “always the same” instead of" in found.shortfall


def test_text_that_is_never_asked_about_stays_an_input():
    """Not asking is the code's behaviour, and it is judged."""
    found = passed(FunctionBench("def feel(text):\n    return None\n"))
    assert len(found.inputs) == len(REVIEWS)
    assert (found.meant, found.shortfall) == ((None,) * len(REVIEWS), None)


def test_what_is_not_told_changes_nothing():
    found = passed(FunctionBench("def feel(text):\n    return text[1:]\n", telling=False))
    assert [item.content.decode() for item in found.inputs] == list(REVIEWS)


def test_nothing_is_run_without_answers_to_give():
    bench = FunctionBench("def feel(text):\n    return text[1:]\n")
    assert passed(bench, script=None).meant == (None,) * len(REVIEWS)
    assert bench.runs == 0


def test_inverse_is_learned_once():
    bench = FunctionBench("def feel(text):\n    return text.split('|')[1]\n")
    inverter = Inverter(TARGET, bench, NEUTRAL)
    items = [review(text) for text in REVIEWS]
    inverter.passed(API, TEMPLATE, items)
    learning = bench.runs
    assert inverter.passed(API, TEMPLATE, items).meant == REVIEWS
    assert bench.runs - learning == 2 * len(REVIEWS)


def test_slow_code_is_not_searched_for_long():
    source = "def feel(text):\n    return json.loads(text)['a']['b']['c']\n"
    slow = FunctionBench(source, seconds=2.5)
    assert len(passed(slow).inputs) == len(REVIEWS)
    assert slow.runs < 20


def test_code_that_does_not_parse_gives_no_hints():
    assert hints_of({"app.py": "def feel(:"}, "app.py", "feel") == hints_of({}, "app.py", "feel")


def test_constants_near_the_target_come_first():
    source = 'FAR = "far"\n\ndef feel(text):\n    """Said."""\n    return text.get("near")\n'
    hints = hints_of({"app.py": source}, "app.py", "feel")
    assert (hints.strings, hints.keys) == (("near", "far"), ("near",))


def test_short_words_are_not_found_inside_others():
    assert text_similarity("no", [asked("another")]) is None
    assert text_similarity("no", [asked("oh no, please")]) is TextSimilarity.WITHIN
    assert text_similarity("...", [asked("")]) is None


def test_long_texts_are_told_by_their_digest():
    text = "so long " * 1000
    assert text_similarity(text, [asked(text)]) is TextSimilarity.EXACT
    assert text_similarity(text + "!", [asked(text)]) is None


PICTURE = Input(InputKind.IMAGE, b"png", "a cat", "cat", ".png", Origin("drawn"))
SENT = {
    "the same": ((PICTURE.digest,), "path", None),
    "another": (("f" * 64,), "path", "another picture"),
    "the same among others": (("f" * 64, PICTURE.digest), "bytes", None),
    "none": ((), "path", None),
    "an object of Pillow": (("f" * 64,), "pil", None),
}


@pytest.mark.parametrize(("digests", "form", "said"), SENT.values(), ids=SENT)
def test_another_picture_than_the_given_one_is_noticed(digests, form, said):
    told = tuple(AskedInput(LABELS, InputKind.IMAGE, digest, 3) for digest in digests)
    probe = Probe("app.py::look", {"path": InputArgument(Form(form), PICTURE)})
    assert altered(LABELS, PICTURE, probe, Run(Returned("1"), asked=told), None) == said


class Redrawn(FakeBench):
    """A bench at which the API is asked about another picture, on every run or the first few."""

    def __init__(self, case, most=1000):
        super().__init__(case)
        self._left = most

    def run(self, probes):
        return [replace(run, asked=self._asked(run)) for run in super().run(probes)]

    def _asked(self, run):
        self._left -= run.exchanges != ()
        return (AskedInput(LABELS, InputKind.IMAGE, "f" * 64, 3),) if self._left >= 0 else ()


FIRE = Case(
    source='def check(path):\n    if "Fire" in labels():\n        return 1\n',
    searched=(["Fire"], ["Sky"]),
    inputs={"Fire": [["Flame"]] * 10},
)


@pytest.mark.parametrize(("most", "said"), [(1000, True), (6, False)])
def test_finding_says_that_the_api_saw_another_picture(most, said):
    verdicts = CloudAnalyzer().examine(FIRE.target, Redrawn(FIRE, most))
    (finding,) = [v for v in verdicts if isinstance(v, Finding)]
    assert finding.rule == "cloud/low-recall"
    changed = "another picture: the code changes it before it asks"
    assert finding.evidence.get("asked_about") == (changed if said else None)
    assert (f"For most inputs the API was asked about {changed}." in finding.message) == said
