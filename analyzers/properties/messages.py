"""Sentences about failures with valid inputs, and why those are valid."""

from __future__ import annotations

import signal

from analyzers.inference.function_contracts import FunctionContract
from analyzers.inference.inference_messages import (
    format_annotation,
    given_clause,
    join_words,
    validity_sentence,
)
from analyzers.properties.changed_results import ResultDifference
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
_ON_BASE = "On base, the function returns for this input."


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
    failure: Failure,
    terms: FunctionContract,
    explored: ExplorationResult,
    place: tuple[str, str],
    *,
    returns_on_base: bool,
) -> str:
    """Return a paragraph a line: what happened, how often, and who says that it is valid.

    ``place`` is ``path:line`` and the code there.
    """
    where, code = place
    first = f"{given_clause(failure.probe)}{happened(failure.run.ending, where, code)}"
    validity = _ON_BASE if returns_on_base else validity_sentence(failure, terms)
    said = [first, _share(failure, explored), validity]
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


def changed_results(
    changed: int, inputs: int, given: str, difference: ResultDifference, *, announced: bool
) -> tuple[str, str]:
    """Return title and message of inputs that have another result than on base."""
    first = (
        f"{given}{_subject(difference)} is {difference.before} on base and {difference.after}"
        " with this change."
    )
    unsaid = (
        ""
        if announced
        else f" Callers see another {difference.kind}; neither the docstring nor a test of the"
        " change mentions it."
    )
    return f"{_share_of(changed, inputs)} another result than on base", f"{first}{unsaid}"


def new_non_finite(
    changed: int, inputs: int, given: str, difference: ResultDifference
) -> tuple[str, str]:
    """Return title and message of inputs with NaN or infinity for the first time."""
    return (
        f"{_share_of(changed, inputs)} NaN or infinity, and finite numbers on base",
        f"{given}{_subject(difference)} is finite on base and holds NaN or infinity with this"
        " change.",
    )


def changed_group(kind: str, place: str, count: int, inputs: int, amount: float) -> str:
    """Return a sentence on the inputs whose results differ in one way."""
    by = f" by at most {amount:.3g}" if amount else ""
    return f"of {inputs} inputs, {count} with another {kind} of `{place}`{by}"


def _share_of(changed: int, inputs: int) -> str:
    return f"{changed} of {inputs} inputs {'has' if changed == 1 else 'have'}"


def _subject(difference: ResultDifference) -> str:
    shown = difference.element or difference.place
    return "the result" if shown == "result" else f"`{shown}`"
