"""Rules of the analyzer ``cloud`` and the messages of their findings."""

from __future__ import annotations

from analyzers.rules.rule import Example, Rule
from analyzers.vocabulary import Level

VISION_LABELS = "google.vision.label_detection"
VISION_TEXT = "google.vision.text_detection"
VISION_FACES = "google.vision.face_detection"
SENTIMENT = "google.language.analyze_sentiment"

_FIRES = (*[("Fire",)] * 2, *[("Flame",)] * 7, ("Sky",))
_POSITIVE = (*[(0.8, 1.0)] * 5, (0.3, 0.4))
_NEGATIVE = (*[(-0.8, 3.0)] * 5, (-0.3, 2.5))

LOW_RECALL = Rule(
    id="cloud/low-recall",
    level=Level.FAILURE,
    lower="warning where the 95 % interval reaches the threshold",
    title="Inputs meant for a branch do not reach it",
    why="Users whose inputs the branch is meant for get the result of another branch: the ML API"
    " often answers with other words, or less surely, than the condition expects.",
    fix="Accept the other answers too (the finding lists them), or compare less strictly.",
    failing=(
        Example(
            """\
def check(path):
    answer = client.label_detection(image=path)
    names = [label.description for label in answer.label_annotations]
    if "Fire" in names:
        return "alarm"
    return "quiet"
""",
            api=VISION_LABELS,
            answers={"Fire": _FIRES},
            tried=(("Fire",), ("Sky",)),
        ),
    ),
    passing=(
        Example(
            """\
def check(path):
    answer = client.label_detection(image=path)
    names = {label.description for label in answer.label_annotations}
    if names & {"Fire", "Flame"}:
        return "alarm"
    return "quiet"
""",
            api=VISION_LABELS,
            answers={"Fire": _FIRES, "Flame": _FIRES},
            tried=(("Fire",), ("Flame",), ("Sky",)),
        ),
    ),
)

DEAD_BRANCH = Rule(
    id="cloud/dead-branch",
    level=Level.FAILURE,
    lower="warning where only tried inputs show it",
    title="No ML answer can reach a branch, or every answer takes it",
    why="The condition does not depend on the answer, so the code decides without the ML API.",
    fix="Correct the condition: a text alone in it is always true, and a label that the API never"
    " returns is never equal.",
    failing=(
        Example(
            """\
def check(path):
    for label in client.label_detection(image=path).label_annotations:
        if label.description == "Dog" or "Animal":
            return "animal"
    return "none"
""",
            api=VISION_LABELS,
            tried=(("Dog",), ("Sky",), ()),
        ),
    ),
    passing=(
        Example(
            """\
def check(path):
    for label in client.label_detection(image=path).label_annotations:
        if label.description in ("Dog", "Animal"):
            return "animal"
    return "none"
""",
            api=VISION_LABELS,
            tried=(("Dog",), ("Animal",), ("Sky",), ()),
        ),
    ),
)

UNKNOWN_LABEL = Rule(
    id="cloud/unknown-label",
    level=Level.FAILURE,
    lower="warning where the search for an answer was not complete",
    title="Compares with a label that the API does not know",
    why="The API never answers with this label, so the branch is never taken.",
    fix="Use the spelling of the API's vocabulary; the evidence has the closest label.",
    failing=(
        Example(
            """\
def check(path):
    answer = client.label_detection(image=path)
    if "Sunglases" in [label.description for label in answer.label_annotations]:
        return "summer"
    return "any"
""",
            api=VISION_LABELS,
            tried=(("Sunglases",), ("Sky",)),
        ),
    ),
    passing=(
        Example(
            """\
def check(path):
    answer = client.label_detection(image=path)
    if "Sunglasses" in [label.description for label in answer.label_annotations]:
        return "summer"
    return "any"
""",
            api=VISION_LABELS,
            tried=(("Sunglasses",), ("Sky",)),
        ),
    ),
)

MIXED_SENTIMENT = Rule(
    id="cloud/mixed-sentiment",
    level=Level.FAILURE,
    lower="warning where an interval reaches the threshold",
    title="A condition on sentiment does not separate positive from negative texts",
    why="Positive and negative texts get the same result.",
    fix="Compare the score, whose sign says positive or negative; the magnitude says how strong"
    " the feeling is, of either kind.",
    failing=(
        Example(
            """\
def check(text):
    sentiment = client.analyze_sentiment(text).document_sentiment
    if sentiment.magnitude > 0.3:
        return "happy"
    return "unhappy"
""",
            api=SENTIMENT,
            answers={"positive": _POSITIVE, "negative": _NEGATIVE},
            tried=((0.8, 1.0), (0.0, 0.0)),
        ),
    ),
    passing=(
        Example(
            """\
def check(text):
    sentiment = client.analyze_sentiment(text).document_sentiment
    if sentiment.score > 0:
        return "happy"
    return "unhappy"
""",
            api=SENTIMENT,
            answers={"positive": _POSITIVE, "negative": _NEGATIVE},
            tried=((0.8, 1.0), (-0.8, 1.0)),
        ),
    ),
)

CRASH = Rule(
    id="cloud/crash",
    level=Level.FAILURE,
    title="An ML answer makes the code raise",
    why="The API may give this answer at any time, and users then see an error.",
    fix="Handle the answer that the reproducer records: answers may be empty, and texts need not"
    " be numbers.",
    failing=(
        Example(
            """\
def check(path):
    return client.label_detection(image=path).label_annotations[0].description
""",
            api=VISION_LABELS,
            answers={"": ((),)},
            tried=(("Sky",),),
        ),
    ),
    passing=(
        Example(
            """\
def check(path):
    labels = client.label_detection(image=path).label_annotations
    return labels[0].description if labels else ""
""",
            api=VISION_LABELS,
            answers={"": ((),)},
            tried=(("Sky",),),
        ),
    ),
)

MISUSE = Rule(
    id="cloud/misuse",
    level=Level.FAILURE,
    lower="warning where the branch is not constant, notice where it only costs money or hides"
    " a failure",
    title="Uses an ML API in a way that is almost certainly a bug",
    why="Made-up answers over everything that the API documents make no difference, and others"
    " that it never gives do: so the code compares the answer, but in the wrong way.",
    fix="Compare scores on the API's own scale, enums with enums and numbers with numbers; send a"
    " request once; read the field `error`.",
    failing=(
        Example(
            """\
def check(path):
    for label in client.label_detection(image=path).label_annotations:
        if label.score > 80:
            return label.description
    return None
""",
            kind="score-scale",
            about="A score is compared with a threshold, or a score, of another scale. Google's"
            " scores go from 0 to 1, Amazon Rekognition's to 100 (from 55 for labels, unless"
            " `MinConfidence` asks for less), sentiment scores from -1 to 1. If one side is a"
            " share and the other a percentage, the finding suggests the threshold on the right"
            " scale.",
            api=VISION_LABELS,
        ),
        Example(
            """\
def check(path):
    for face in client.face_detection(image=path).face_annotations:
        if face.joy_likelihood == "VERY_LIKELY":
            return "joy"
    return "none"
""",
            kind="enum-as-text",
            about="In messages of Google's clients a likelihood or a type is a member of an enum,"
            " which never equals its name. In JSON it is the name. The finding suggests `.name`.",
            api=VISION_FACES,
        ),
        Example(
            """\
def check(path):
    calories = client.text_detection(image=path).text_annotations[0].description
    if calories > "2500":
        return "rich"
    return "light"
""",
            kind="number-as-text",
            about="A text that was read or heard is compared with a number in quotes. Texts are"
            ' ordered letter by letter: "10000" comes before "2500".',
            api=VISION_TEXT,
            tried=("3000", "100"),
        ),
        Example(
            """\
def check(path):
    found = []
    for word in ("Dog", "Cat", "Bird"):
        answer = client.label_detection(image=path)
        found += [label for label in answer.label_annotations if label.description == word]
    return len(found)
""",
            kind="constant-input-in-loop",
            about="Every round of a loop sends the same request, which costs money. Not reported"
            " if a part of the request may change, if the loop waits, measures time or can end"
            " early, or if the API is a language model, whose answers may differ.",
            api=VISION_LABELS,
        ),
        Example(
            """\
def first(path):
    answer = client.label_detection(image=path)
    if answer.error.message:
        raise RuntimeError(answer.error.message)
    return answer.label_annotations[0].description


def check(path):
    return len(client.label_detection(image=path, max_results=5).label_annotations)
""",
            kind="unread-error",
            about="Google Vision reports failures in the field `error` of a normal answer. Code"
            " that does not read it takes a failure for an empty answer. Reported only if another"
            " function of the same file reads the field.",
            api=VISION_LABELS,
        ),
    ),
    passing=(
        Example(
            """\
def check(path):
    for label in client.label_detection(image=path).label_annotations:
        if label.score > 0.8:
            return label.description
    return None
""",
            kind="score-scale",
            api=VISION_LABELS,
        ),
        Example(
            """\
def check(path):
    for face in client.face_detection(image=path).face_annotations:
        if face.joy_likelihood.name == "VERY_LIKELY":
            return "joy"
    return "none"
""",
            kind="enum-as-text",
            api=VISION_FACES,
        ),
        Example(
            """\
def check(path):
    calories = client.text_detection(image=path).text_annotations[0].description
    if calories.isdigit() and int(calories) > 2500:
        return "rich"
    return "light"
""",
            kind="number-as-text",
            api=VISION_TEXT,
            tried=("3000", "100"),
        ),
        Example(
            """\
def check(path):
    found = []
    answer = client.label_detection(image=path)
    for word in ("Dog", "Cat", "Bird"):
        found += [label for label in answer.label_annotations if label.description == word]
    return len(found)
""",
            kind="constant-input-in-loop",
            api=VISION_LABELS,
        ),
        Example(
            """\
def asked(path):
    answer = client.label_detection(image=path)
    if answer.error.message:
        raise RuntimeError(answer.error.message)
    return answer


def check(path):
    return len(asked(path).label_annotations)
""",
            kind="unread-error",
            api=VISION_LABELS,
        ),
    ),
)

CHANGED = Rule(
    id="behaviour/changed",
    level=Level.NOTICE,
    title="The same inputs have another outcome than on the base",
    why="Users of these inputs see the difference. The finding never changes the verdict.",
    fix="No action needed if the change is intentional.",
    failing=(
        Example(
            """\
def check(path):
    answer = client.label_detection(image=path)
    names = [label.description for label in answer.label_annotations]
    return "waste" if "Bottle" in names or "Food" not in names else "compost"
""",
            api=VISION_LABELS,
            base="""\
def check(path):
    answer = client.label_detection(image=path)
    names = [label.description for label in answer.label_annotations]
    return "waste" if "Food" not in names else "compost"
""",
            answers={"": (("Food", "Bottle"), ("Food",))},
            tried=(("Food",), ("Sky",)),
        ),
    ),
    passing=(
        Example(
            """\
def check(path):
    answer = client.label_detection(image=path)
    found = {label.description for label in answer.label_annotations}
    return "compost" if "Food" in found else "waste"
""",
            api=VISION_LABELS,
            base="""\
def check(path):
    answer = client.label_detection(image=path)
    names = [label.description for label in answer.label_annotations]
    return "waste" if "Food" not in names else "compost"
""",
            answers={"": (("Food", "Bottle"), ("Food",))},
            tried=(("Food",), ("Sky",)),
        ),
    ),
)

RULES = (
    LOW_RECALL,
    DEAD_BRANCH,
    UNKNOWN_LABEL,
    MIXED_SENTIMENT,
    CRASH,
    MISUSE,
    CHANGED,
)
