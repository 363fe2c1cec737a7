"""What happened with a valid input, and why it is valid, in sentences."""

from __future__ import annotations

import signal

from analyzers.inference.function_contracts import FunctionContract
from analyzers.inference.inference_messages import (
    format_annotation,
    given_clause,
    join_words,
    validity_sentence,
)
from analyzers.vocabulary import (
    Died,
    ExplorationResult,
    Failure,
    Raised,
    RunOutcome,
    Target,
    Violated,
)

LONGEST_CODE = 120
_RESULT = "matches(result, "


def title(target: Target, ending: RunOutcome) -> str:
    """Return what a target does, in a line."""
    name = target.function.replace(".<locals>", "")
    return f"`{name}` {does(ending)} for a valid input"


def does(ending: RunOutcome) -> str:
    """Return what a failing run does: ``raises ValueError``."""
    if isinstance(ending, Violated):
        returns = ending.condition.startswith(_RESULT)
        broken = f"breaks its postcondition `{format_annotation(ending.condition)}`"
        return "does not return what it says" if returns else broken
    return f"raises {ending.exception}" if isinstance(ending, Raised) else "takes the process down"


def message(
    failure: Failure, terms: FunctionContract, explored: ExplorationResult, where: str, code: str
) -> str:
    """A paragraph a line: what happened at the line ``code``, how often, and who says it is valid.

    ``where`` is ``path:line``.
    """
    first = f"{given_clause(failure.probe)}{happened(failure.run.ending, where, code)}"
    said = [first, _share(failure, explored), validity_sentence(failure, terms)]
    return "\n".join(each for each in said if each)


def happened(ending: RunOutcome, where: str, code: str) -> str:
    """Return what a failing run did at the line ``code``, as the end of a sentence."""
    line = f"`{_clipped(code)}` ({where})" if code and "`" not in code else f"the code at {where}"
    if isinstance(ending, Raised):
        words = " ".join(ending.message.split())
        return f"{line} raises `{ending.exception}`{f': {words}' if words else ''}" + _stop(words)
    if isinstance(ending, Violated):
        detail = " ".join(ending.detail.split())
        if ending.condition.startswith(_RESULT):
            return f"the result is {detail}. It should be {_expected(ending.condition)}."
        return f"`{format_annotation(ending.condition)}` does not hold: {detail}{_stop(detail)}"
    assert isinstance(ending, Died)
    return f"the process is killed by {_signal(ending.signal)} in the function at {where}."


def _expected(condition: str) -> str:
    inside = condition.removeprefix(_RESULT).removesuffix(")")
    plain = len(inside) > 1 and inside[0] in "'\"" and inside[-1] == inside[0]
    return f"`{format_annotation(inside[1:-1] if plain else inside)}`"


def _stop(text: str) -> str:
    return "" if text.endswith((".", "!", "?")) else "."


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _clipped(code: str) -> str:
    return code if len(code) <= LONGEST_CODE else code[: LONGEST_CODE - 1] + "…"


def _share(failure: Failure, explored: ExplorationResult) -> str:
    valid = max(failure.seen, explored.executions - explored.refused)
    noun, verb = ("input", "ends") if valid == 1 else ("inputs", "end")
    every = failure.seen == valid > 1
    number = f"All {valid:,}" if every else f"{failure.seen:,} of {valid:,}"
    share = f"{number} valid {noun} {'ends' if failure.seen == 1 else verb} so"
    if not failure.matters or len(failure.matters) == len(failure.probe.arguments):
        return f"{share}."
    names = join_words([f"`{name}`" for name in failure.matters])
    return f"{share}; of the arguments only {names} {_matter(failure)}."


def _matter(failure: Failure) -> str:
    return "matters" if len(failure.matters) == 1 else "matter"
