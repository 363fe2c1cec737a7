"""What happened with a valid input, and why it is valid, in sentences."""

from __future__ import annotations

import signal

from analyzers.inference.nouns import Source
from analyzers.inference.spelling import spelled
from analyzers.inference.terms import CONSTRUCTOR, Term, Terms
from analyzers.vocabulary import (
    Died,
    Ending,
    Explored,
    Failure,
    Literal,
    Made,
    Probe,
    Raised,
    Target,
    Violated,
)

LONGEST_RECIPE = 300
LONGEST_CODE = 120
_RESULT = "matches(result, "


def title(target: Target, ending: Ending) -> str:
    """What a target does, in a line."""
    name = target.function.replace(".<locals>", "")
    return f"`{name}` {does(ending)} for a valid input"


def does(ending: Ending) -> str:
    """What a failing run does: ``raises ValueError``."""
    if isinstance(ending, Violated):
        returns = ending.condition.startswith(_RESULT)
        broken = f"breaks its postcondition `{spelled(ending.condition)}`"
        return "does not return what it says" if returns else broken
    return f"raises {ending.exception}" if isinstance(ending, Raised) else "takes the process down"


def message(failure: Failure, terms: Terms, explored: Explored, where: str, code: str) -> str:
    """A paragraph a line: what happened at the line ``code``, how often, and who says it is valid.

    ``where`` is ``path:line``.
    """
    given = _given(failure.probe)
    happened = _happened(failure.run.ending, where, code)
    said = [f"{given}{happened}", _share(failure, explored), validity(failure, terms)]
    return "\n".join(each for each in said if each)


def arguments(probe: Probe) -> dict[str, str]:
    """The arguments of a probe by place, as the recipes that make them."""
    found: dict[str, str] = {}
    for name, argument in probe.arguments.items():
        if isinstance(argument, Made | Literal):
            text = argument.recipe if isinstance(argument, Made) else argument.source
            found[name] = text if len(text) <= LONGEST_RECIPE else text[:LONGEST_RECIPE] + "…"
    return found


def _given(probe: Probe) -> str:
    parts = [f"`{name} = {recipe}`" for name, recipe in arguments(probe).items()]
    return f"Given {listed(parts)}, " if parts else "Called without arguments, "


def listed(parts: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def _happened(ending: Ending, where: str, code: str) -> str:
    line = f"`{_clipped(code)}` ({where})" if code and "`" not in code else f"the code at {where}"
    if isinstance(ending, Raised):
        words = " ".join(ending.message.split())
        return f"{line} raises `{ending.exception}`{f': {words}' if words else ''}" + _stop(words)
    if isinstance(ending, Violated):
        detail = " ".join(ending.detail.split())
        if ending.condition.startswith(_RESULT):
            return f"the result is {detail}. It should be {_expected(ending.condition)}."
        return f"`{spelled(ending.condition)}` does not hold: {detail}{_stop(detail)}"
    assert isinstance(ending, Died)
    return f"the process is killed by {_signal(ending.signal)} in the function at {where}."


def _expected(condition: str) -> str:
    inside = condition.removeprefix(_RESULT).removesuffix(")")
    plain = len(inside) > 1 and inside[0] in "'\"" and inside[-1] == inside[0]
    return f"`{spelled(inside[1:-1] if plain else inside)}`"


def _stop(text: str) -> str:
    return "" if text.endswith((".", "!", "?")) else "."


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _clipped(code: str) -> str:
    return code if len(code) <= LONGEST_CODE else code[: LONGEST_CODE - 1] + "…"


def _share(failure: Failure, explored: Explored) -> str:
    """How many of the inputs end so, and which arguments matter."""
    valid = max(failure.seen, explored.executions - explored.refused)
    noun, verb = ("input", "ends") if valid == 1 else ("inputs", "end")
    every = failure.seen == valid > 1
    number = f"All {valid:,}" if every else f"{failure.seen:,} of {valid:,}"
    share = f"{number} valid {noun} {'ends' if failure.seen == 1 else verb} so"
    if not failure.matters or len(failure.matters) == len(failure.probe.arguments):
        return f"{share}."
    names = listed([f"`{name}`" for name in failure.matters])
    return f"{share}; of the arguments only {names} {_matter(failure)}."


def _matter(failure: Failure) -> str:
    return "matters" if len(failure.matters) == 1 else "matter"


def validity(failure: Failure, terms: Terms) -> str:
    """Who says that the input is valid."""
    if not terms.terms:
        return ""
    relevant = {
        name: term
        for name, term in terms.terms.items()
        if not failure.matters or term in terms.of(failure.matters)
    }
    if all(term.source is Source.GIVEN for term in relevant.values()):
        return "The annotations of the function allow this input."
    said = "; ".join(f"`{_name(name)}`: {_says(term)}" for name, term in relevant.items())
    return f"That this input is valid is inferred: {said}."


def _name(name: str) -> str:
    return name.removeprefix(CONSTRUCTOR)


def _says(term: Term) -> str:
    where = f", {term.where}" if term.where else ""
    return f"`{spelled(term.constraint)}` ({term.source.value}{where})"
