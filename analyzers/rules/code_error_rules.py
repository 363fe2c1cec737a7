"""The rule ``code/error`` and the messages of its findings."""

from __future__ import annotations

from analyzers.rules.rule import Example, Rule
from analyzers.vocabulary import Level

CODE_ERROR = Rule(
    id="code/error",
    level=Level.FAILURE,
    title="The function raises because of an error in its own code",
    why="The function fails on every input, or on ordinary ones. No value that Assayer made up"
    " takes part in the error.",
    fix="Correct the line that raises: the name, key, variable or call that is named is wrong"
    " whatever the function receives.",
    failing=(
        Example(
            """\
def check(path):
    seen = client.label_detection(image=path).label_annotations
    if seen:
        return lables[0].description
    return None
""",
            api="google.vision.label_detection",
            tried=(("Sky",), ()),
        ),
    ),
    passing=(
        Example(
            """\
def check(path):
    seen = client.label_detection(image=path).label_annotations
    if seen:
        return seen[0].description
    return None
""",
            api="google.vision.label_detection",
            tried=(("Sky",), ()),
        ),
    ),
)

RULES = (CODE_ERROR,)
