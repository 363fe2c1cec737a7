"""The rule ``code/error`` and the messages of its findings."""

from __future__ import annotations

from analyzers.rules.rule import Example, Rule
from analyzers.vocabulary import Level

LONGEST_CODE = 120

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


def error(exception: str, text: str, code: str, at: str, times: int, runs: int, meant: str) -> str:
    """Describe an error of the code at a line, seen in some runs of a function."""
    said = " ".join(text.split())
    shown = f"`{code}` ({at})" if code and "`" not in code and len(code) < LONGEST_CODE else ""
    if runs == 1:
        share = "The run of the function fails this way."
    elif times == runs:
        share = f"All {runs} runs of the function fail this way: it never returns a result."
    else:
        share = f"{times} of {runs} runs of the function fail this way."
    lines = (
        f"{shown or f'The code at {at}'} raises `{exception}`{f': {said}' if said else ''}.",
        share,
        "The cause is in the code: no argument, environment variable, file, network answer or"
        " stand-in that Assayer made up takes part in it.",
        f"A similar name exists: `{meant}`." if meant else "",
    )
    return "\n".join(filter(None, lines))


def misspelt_variable(name: str, meant: str, code: str, at: str) -> tuple[str, str]:
    """Describe an environment variable that other files of the project spell otherwise."""
    return (
        f"`{name}` is `{meant}` everywhere else",
        f"`{code}` ({at}) raises `KeyError` on every machine that is set up as the project says:"
        f" its other files name the variable `{meant}`, and none names `{name}`.",
    )
