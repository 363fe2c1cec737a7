"""Messages of findings that the text alone shows."""

from __future__ import annotations

UNRUN = "Read in the text, not run."
LONGEST_CODE = 60
_LACKS = {
    "value": ("may be `None`", "`{0}` is `None`"),
    "elements": ("may be empty", "`{0}` is empty"),
    "member": ("may be of another class", "an element of `{0}` has no `{1}`"),
    "json": ("may be no valid JSON", "`{0}` is no valid JSON"),
    "access": ("may raise `ValueError`", "there is no text"),
}
_FIXES = {
    "value": "Test `{}` before it is used, or give it a default.",
    "elements": "Test that `{}` has an element first.",
    "member": "Test the `type` of each element of `{}` first.",
    "json": "Catch the error where `{}` is parsed, and tell the model that they cannot be read.",
    "access": "Ask for `candidates` and their `parts` first, or catch `ValueError` around `{}`.",
}
_SWALLOWED = " The handler around the whole answer then takes every answer for a failure."


_SERVERS = {
    "AzureOpenAI": "Azure",
    "AsyncAzureOpenAI": "Azure",
    "base_url": "the server of `base_url`",
}


def _asking(word: str) -> str:
    if word in _SERVERS:
        return f"goes to {_SERVERS[word]}. "
    return f"asks for that with `{word}`. " if word else "does not rule that out. "


def missing_part(
    code: str,
    declared: tuple[str, str, str],
    lack: tuple[str, str, str, str],
    request: tuple[int, str],
    *,
    swallowed: bool = False,
) -> tuple[str, str]:
    """Describe the use of a part of an answer that some answers lack.

    ``declared``: the field, its declaration and the SDK; ``lack``: its kind, when it happens,
    the exception and the attribute; ``request``: its line (0: not seen) and what it asks for;
    ``swallowed``: a handler keeps the exception.
    """
    field, declaration, sdk = declared
    kind, when, exception, attribute = lack
    title, where = _LACKS[kind]
    if exception == "KeyError":
        title, where = "may be missing", "an element has no `{0}`"
    line, asked = request
    shown = f"`{code}`" if "`" not in code else f"The use of `{field}`"
    origin = f"The request in line {line} " if line else ""
    if origin:
        origin += _asking(asked)
    return (
        f"`{field}` {title} where `{code if len(code) < LONGEST_CODE else field}` uses it",
        f"{shown} raises `{exception}` where {where.format(field, attribute)}: {when}."
        f"{_SWALLOWED if swallowed else ''}"
        f" The SDK declares `{declaration}` ({sdk}). {origin}"
        f"{_FIXES[kind].format(field)} {UNRUN}",
    )


def compared_constants(code: str, link: str, first: str) -> tuple[str, str]:
    """Describe a chained comparison of which one link compares two constants."""
    return (
        f"`{link}` compares two constants",
        f"`{code}` means `… and {link}`, which has the same outcome for every `{first}`: the"
        f" second bound is never applied. Write `low <= {first} <= high`."
        f" {UNRUN}",
    )


def taken_over(test: str, words: tuple[str, str], line: int) -> tuple[str, str]:
    """Describe a test of a text that an earlier test of a part of its word takes over."""
    word, shorter = words
    return (
        f"`{test}` is never true here",
        f"Every text with `{word}` also contains `{shorter}`, so the test in line {line} is true"
        f" first and this branch is never taken. Test `{word}` before `{shorter}`."
        f" {UNRUN}",
    )


def missing_key(name: str, key: str, line: int, meant: str) -> tuple[str, str]:
    """Describe a key that the dictionary literal of the code lacks."""
    hint = f" It has `{meant}`." if meant else ""
    return (
        f"`{name}` has no key `{key}`",
        f"`{name}[{key!r}]` raises `KeyError` whenever it runs: the dictionary in line {line} has"
        f" no such key, and nothing adds one.{hint}"
        f" {UNRUN}",
    )


def unknown_attribute(code: str, owner: str, sdk: str, meant: str) -> tuple[str, str]:
    """Describe an attribute that the class of a value does not have."""
    return (
        f"`{code.rpartition('.')[2]}` is no attribute of `{owner}`",
        f"`{code}` raises `AttributeError` whenever it runs: `{owner}` has no such attribute"
        f" ({sdk}). {meant}"
        f" {UNRUN}",
    )


def subscripted(code: str, owner: str, sdk: str, key: str) -> tuple[str, str]:
    """Describe an answer that is an object and is read like a dictionary."""
    return (
        f"`{owner}` is no dictionary",
        f"`{code}` raises `TypeError` whenever it runs: `{owner}` is an object ({sdk})."
        f" Write `.{key}`."
        f" {UNRUN}",
    )


def unknown_word(code: str, declaration: str, sdk: str, known: str) -> tuple[str, str]:
    """Describe a comparison with a text that a field never has."""
    return (
        f"`{code}` has one outcome for every answer",
        f"No answer has this value: the SDK declares `{declaration}` ({sdk}), with {known}."
        f" {UNRUN}",
    )


def unread_variable(name: str, meant: str, at: str) -> tuple[str, str]:
    """Describe an environment variable that is set for nobody."""
    return (
        f"No SDK reads `{name}`",
        f"The code at {at} sets `{name}`, and nothing in the project reads it. The SDK reads"
        f" `{meant}`, so the request finds no credentials unless they are set elsewhere."
        f" Correct the name. {UNRUN}",
    )


def endless_retry(asked: str, at: str) -> tuple[str, str]:
    """Describe a loop that only success ends."""
    return (
        f"{asked} is asked without end while it fails",
        f"The loop at {at} asks {asked} again after every failure, and nothing but success ends it."
        " A wrong key, a spent quota or an answer that cannot be read keep it asking for ever, at"
        " the price of each request. Count the attempts, and give up.",
    )


def lost_answer(code: str, request: int) -> tuple[str, str]:
    """Describe JSON that counts as no answer when it is fenced."""
    return (
        "JSON in a code fence is taken for no answer",
        f"The request in line {request} asks for JSON in words, and models often answer that"
        f" with a fence (```json) around it. `{code}` cannot read it, and the handler goes on as if"
        f" there were no answer. Take the fence off, or ask for a response format. {UNRUN}",
    )
