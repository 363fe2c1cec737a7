"""A small shop application with four defects, and the report about it."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw

from analyzers.vocabulary import (
    AnswerSource,
    ApiCall,
    BranchOutcome,
    Broken,
    Conclusion,
    Constant,
    Cost,
    Crashes,
    Exchange,
    Finding,
    Form,
    Goal,
    Input,
    InputArgument,
    InputKind,
    Level,
    LiteralArgument,
    Misses,
    Mixes,
    Origin,
    Probe,
    Reason,
    Report,
    Skipped,
    Status,
    Suggestion,
    Target,
    TargetCounters,
    Tested,
    Turns,
)

RECEIPTS = """\
from google.cloud import vision


def total_of(path, currency="EUR"):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    response = client.text_detection(image=image)
    if response.error.message:
        raise RuntimeError(response.error.message)
    words = response.text_annotations
    return words[0].description.split()[-1] + " " + currency
"""
RECEIPTS_FIXED = RECEIPTS.replace(
    "    return words",
    "    if not words:\n        return None\n    return words",
)

ALARM = """\
from google.cloud import vision


class Alarm:
    def __init__(self, client):
        self.names = []

    def check(self, content):
        if not content:
            return "nothing"
        self.names = labels_of(content)
        if "Fire" in self.names:
            return "alarm"
        return "quiet"


def labels_of(content):
    client = vision.ImageAnnotatorClient.from_service_account_json("key.json")
    response = client.annotate_image(
        {
            "image": {"content": content},
            "features": [{"type_": vision.Feature.Type.LABEL_DETECTION}],
        }
    )
    return [label.description for label in response.label_annotations if label.score > 0.5]
"""
ALARM_FIXED = ALARM.replace('if "Fire" in self.names:', 'if {"Fire", "Flame"} & set(self.names):')

REVIEWS = """\
from google.cloud import language_v1 as language

client = language.LanguageServiceClient()


def praise(text):
    document = language.Document(content=text, type_=language.Document.Type.PLAIN_TEXT)
    sentiment = client.analyze_sentiment(request={"document": document}).document_sentiment
    return "thanks" if sentiment.magnitude > 0.5 else "sorry"
"""
REVIEWS_FIXED = REVIEWS.replace("sentiment.magnitude > 0.5", "sentiment.score > 0.25")

PETS = """\
from google.cloud import vision


def is_pet(content):
    client = vision.ImageAnnotatorClient()
    response = client.label_detection(image=vision.Image(content=content))
    names = [label.description for label in response.label_annotations]
    if "Cat" or "Dog" in names:
        return True
    return False
"""
PETS_FIXED = PETS.replace('if "Cat" or', 'if "Cat" in names or')

SOURCES = {
    "shop/receipts.py": RECEIPTS,
    "shop/alarm.py": ALARM,
    "shop/reviews.py": REVIEWS,
    "shop/pets.py": PETS,
}
FIXED = {
    "shop/receipts.py": RECEIPTS_FIXED,
    "shop/alarm.py": ALARM_FIXED,
    "shop/reviews.py": REVIEWS_FIXED,
    "shop/pets.py": PETS_FIXED,
}


def picture(words: str, colour: str = "white") -> bytes:
    image = Image.new("RGB", (220, 140), colour)
    ImageDraw.Draw(image).text((16, 60), words, fill="black", font_size=22)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def image(words: str, colour: str = "white", reading: str | None = None) -> Input:
    return Input(
        InputKind.IMAGE,
        picture(words, colour),
        f"“{words}” on {colour}" if words else f"a blank {colour} picture",
        reading or words or None,
        ".png",
        Origin("drawn", licence="CC0-1.0"),
    )


def tweet(text: str, reading: str) -> Input:
    return Input(
        InputKind.TEXT, text.encode(), f"a {reading} tweet", reading, ".txt", Origin("tweets")
    )


def exchange(method: str, answer: dict) -> Exchange:
    return Exchange(method, "0" * 64, answer, AnswerSource.PROVIDER)


def labels(*names: str) -> Exchange:
    found = [{"description": name, "score": 0.9} for name in names]
    return exchange("google.vision.label_detection", {"label_annotations": found})


def sentiment(score: float, magnitude: float) -> Exchange:
    return exchange(
        "google.language.analyze_sentiment",
        {"document_sentiment": {"score": score, "magnitude": magnitude}, "language": "en"},
    )


def crash(**changes: object) -> Finding:
    blank = image("")
    probe = Probe(
        "shop/receipts.py::total_of",
        {"path": InputArgument(Form.PATH, blank), "currency": LiteralArgument("'EUR'")},
        (exchange("google.vision.text_detection", {"text_annotations": []}),),
    )
    values: dict = {
        "analyzer": "cloud",
        "rule": "cloud/crash",
        "level": Level.FAILURE,
        "path": "shop/receipts.py",
        "line": 12,
        "end_line": 12,
        "symbol": "shop/receipts.py::total_of",
        "target": "shop/receipts.py::total_of",
        "title": "`total_of` raises IndexError when no text is found",
        "message": "text_detection found no text, and `words[0]` raised IndexError.",
        "evidence": {
            "exception": "IndexError",
            "raised_at": "shop/receipts.py:12",
            "answer": {"text_annotations": []},
        },
        "probes": (probe,),
        "criterion": Crashes("IndexError", "shop/receipts.py", "total_of"),
        "input_kind": "blank",
        "suggestion": Suggestion(
            "shop/receipts.py",
            11,
            12,
            "    words = response.text_annotations\n    if not words:\n        return None\n"
            '    return words[0].description.split()[-1] + " " + currency',
            verified=True,
        ),
    }
    return Finding(**{**values, **changes})


FIRE = Goal(
    "shop/alarm.py",
    "Alarm.check",
    1,
    None,
    BranchOutcome.TRUE,
    12,
    12,
    '"Fire" in self.names',
    '"Fire" in self.names',
)


def low_recall(**changes: object) -> Finding:
    pictures = [image(f"fire {n}", "orange", "Fire") for n in range(10)]
    answers = [labels("Fire", "Heat")] * 4 + [labels("Flame", "Heat")] * 6
    probes = tuple(
        Probe("shop/alarm.py::Alarm.check", {"content": InputArgument(Form.BYTES, item)}, (answer,))
        for item, answer in zip(pictures, answers, strict=True)
    )
    values: dict = {
        "analyzer": "cloud",
        "rule": "cloud/low-recall",
        "level": Level.FAILURE,
        "path": "shop/alarm.py",
        "line": 12,
        "end_line": 12,
        "symbol": "shop/alarm.py::Alarm.check#1",
        "target": "shop/alarm.py::Alarm.check",
        "title": "Only 4 of 10 pictures of “Fire” reach this branch",
        "message": "The API often calls such pictures “Flame”, which the condition does not know.",
        "evidence": {
            "goal": FIRE.id,
            "wanted": "Fire",
            "inputs": 10,
            "reached": 4,
            "recall": 0.4,
            "interval": [0.168, 0.687],
            "threshold": 0.75,
            "missed": [4, 5, 6, 7, 8, 9],
            "added_labels": ["Flame"],
            "recall_after": 1.0,
            "recall_after_interval": [0.5655, 1.0],
            "precision_after": 1.0,
        },
        "probes": probes,
        "criterion": Misses(FIRE, 0.75),
        "input_kind": "Fire",
        "suggestion": Suggestion(
            "shop/alarm.py",
            12,
            12,
            '        if {"Fire", "Flame"} & set(self.names):',
            verified=True,
        ),
    }
    return Finding(**{**values, **changes})


PRAISE = Goal(
    "shop/reviews.py",
    "praise",
    0,
    None,
    BranchOutcome.TRUE,
    9,
    9,
    "sentiment.magnitude > 0.5",
    "sentiment.magnitude > 0.5",
)


def mixed_sentiment(**changes: object) -> Finding:
    good = [("What a lovely day", 0.8), ("Best coffee in town", 0.9), ("I like it", 0.6)]
    bad = [("Never again", -0.8), ("The worst service", -0.9), ("I hate waiting", -0.7)]
    probes = tuple(
        Probe(
            "shop/reviews.py::praise",
            {
                "text": InputArgument(
                    Form.TEXT, tweet(text, "positive" if score > 0 else "negative")
                )
            },
            (sentiment(score, abs(score)),),
        )
        for text, score in good + bad
    )
    values: dict = {
        "analyzer": "cloud",
        "rule": "cloud/mixed-sentiment",
        "level": Level.WARNING,
        "path": "shop/reviews.py",
        "line": 9,
        "end_line": 9,
        "symbol": "shop/reviews.py::praise#0",
        "target": "shop/reviews.py::praise",
        "title": "This test does not tell positive from negative texts",
        "message": "magnitude is high for strong feelings of either kind.",
        "evidence": {
            "positive": {"inputs": 3, "reached": 3, "interval": [0.438, 1.0]},
            "negative": {"inputs": 3, "reached": 3, "interval": [0.438, 1.0]},
            "formula": "sentiment.score > 0.25",
            "accuracy_before": 0.5,
            "accuracy_after": 1.0,
            "accuracy_after_interval": [0.438, 1.0],
        },
        "probes": probes,
        "criterion": Mixes(PRAISE, 3, 0.5),
        "input_kind": "sentiment",
        "status": Status.EXISTING,
    }
    return Finding(**{**values, **changes})


PET = Goal(
    "shop/pets.py",
    "is_pet",
    0,
    None,
    BranchOutcome.TRUE,
    8,
    8,
    '"Cat" or "Dog" in names',
    '"Cat" or "Dog" in names',
)


def dead_branch(**changes: object) -> Finding:
    probes = tuple(
        Probe("shop/pets.py::is_pet", {"content": InputArgument(Form.BYTES, item)}, (answer,))
        for item, answer in [(image("dog"), labels("Dog")), (image("car"), labels("Car"))]
    )
    values: dict = {
        "analyzer": "cloud",
        "rule": "cloud/dead-branch",
        "level": Level.FAILURE,
        "path": "shop/pets.py",
        "line": 8,
        "end_line": 8,
        "symbol": "shop/pets.py::is_pet#0",
        "target": "shop/pets.py::is_pet",
        "title": "The condition is always true",
        "message": 'The operand `"Cat"` is a text that is not empty: it is true for every answer.',
        "evidence": {"goal": PET.id, "proof": "constant-condition", "bound": "all answers"},
        "probes": probes,
        "criterion": Constant(PET),
        "input_kind": "constant",
    }
    return Finding(**{**values, **changes})


def changed(**changes: object) -> Finding:
    pictures = [image(f"flame {n}", "orange", "Fire") for n in range(2)]
    probes = tuple(
        Probe("shop/alarm.py::Alarm.check", {"content": InputArgument(Form.BYTES, item)}, (answer,))
        for item, answer in zip(pictures, [labels("Flame"), labels("Flame", "Heat")], strict=True)
    )
    says = "of 3 pictures of “Fire”, 2 that were 'alarm' are now 'quiet'"
    outcomes = {"before": "'alarm'", "after": "'quiet'"}
    group = {"things": "pictures of “Fire”", "of": 3, "count": 2, **outcomes, "says": says}
    values: dict = {
        "analyzer": "cloud",
        "rule": "behaviour/changed",
        "level": Level.NOTICE,
        "path": "shop/alarm.py",
        "line": 8,
        "end_line": 8,
        "symbol": "shop/alarm.py::Alarm.check",
        "target": "shop/alarm.py::Alarm.check",
        "title": "2 of 3 inputs have another outcome than on base",
        "message": f"With the same inputs and answers: {says}.",
        "evidence": {
            "inputs": 3,
            "changed": 2,
            "groups": [group],
            "examples": [{"description": item.description, **outcomes} for item in pictures],
        },
        "probes": probes,
        "criterion": Turns(("'alarm'",) * 2, ("'quiet'",) * 2),
    }
    return Finding(**{**values, **changes})


def target(path: str, function: str, line: int, api: str) -> Target:
    return Target(
        path, function, line, line + 8, Reason.CHANGED, (ApiCall(api, path, function, line + 4),)
    )


TARGETS = (
    (
        target("shop/receipts.py", "total_of", 4, "google.vision.text_detection"),
        TargetCounters(4, 4, 0, 4, 4, 61, tested=Tested.YES),
    ),
    (
        target("shop/alarm.py", "Alarm.check", 8, "google.vision.label_detection"),
        TargetCounters(6, 5, 1, 6, 5, 120, tested=Tested.YES),
    ),
    (
        target("shop/reviews.py", "praise", 6, "google.language.analyze_sentiment"),
        TargetCounters(2, 2, 0, 2, 2, 40, tested=Tested.YES),
    ),
)


def report(*findings: Finding, **changes: object) -> Report:
    values: dict = {
        "repository": "example/shop",
        "base": "a" * 40,
        "head": "b" * 40,
        "conclusion": Conclusion.FAILURE if findings else Conclusion.SUCCESS,
        "targets": TARGETS,
        "findings": findings,
        "skipped": (Skipped("cloud", "shop/faces.py::count", "no source of faces works offline"),)
        if findings
        else (),
        "broken": (),
        "cost": Cost(12.5, 221, 40, 31, 2),
        "environment": ("Isolated by bubblewrap.", "Text detection answered by rapidocr 1.4.4."),
    }
    return Report(**{**values, **changes})


def full_report(**changes: object) -> Report:
    return report(crash(), low_recall(), mixed_sentiment(), dead_branch(), **changes)


BROKEN = Broken("cloud", "shop/alarm.py::Alarm.check", "KeyError at search.py:12: 'x'")


def write_project(folder: Path, sources: dict[str, str]) -> None:
    for path, text in sources.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
