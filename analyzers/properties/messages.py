"""Sentences about failures with valid inputs, and why those are valid."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

from analyzers.drivers.promises import Promise
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
DOCUMENTED = (
    "The example returns as it stands; that this is valid too is said by a type hint,"
    " a description or a guard."
)
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
    if (program := failure.probe.program) is not None and not returns_on_base:
        validity = f"The project's own documents use it like this ({program.place})."
        if program.edits:
            validity = DOCUMENTED
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


def ignored(target: Target, name: str, where: str, passed: str) -> tuple[str, str]:
    """Return title and message of a parameter that has no effect."""
    function = target.function.replace(".<locals>", "")
    return (
        f"`{function}` ignores `{name}`",
        f"`{name}` is never read: the call at {where} passes `{passed}` whatever callers give."
        f" Pass `{name}={name}` on, or remove the parameter.",
    )


def effect(target: Target, given: str, ending: Violated) -> tuple[str, str]:
    """Return title and message of a call that changes its arguments, or what a later one gives."""
    name = target.function.replace(".<locals>", "")
    detail = " ".join(ending.detail.split())
    if not ending.condition.startswith("unaffected_by("):
        return (
            f"`{name}` changes its arguments",
            f"{given}`{ending.condition}` does not hold: an operation in place writes into what"
            " the caller gave. A second call with it gives another result, and a leaf that"
            " requires a gradient is refused.",
        )
    earlier = ending.condition.removeprefix("unaffected_by(").removesuffix(")")[1:-1]
    return (
        f"`{name}` gives another result after another call",
        f"{given}the result changes where the same object was called with `{earlier}` before: "
        f"{detail}{_stop(detail)}\n"
        "The model is in evaluation mode, its state_dict does not change, and calling it twice"
        " with the same input gives the same: what it keeps of one call, such as a cache, is"
        " used for inputs that it does not fit.",
    )


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
    changed: int,
    inputs: int,
    given: str,
    difference: ResultDifference,
    *,
    announced: bool,
    broken: Sequence[str] = (),
) -> tuple[str, str]:
    """Return title and message of inputs that have another result than on base.

    ``broken`` are sentences on relations that hold on base alone.
    """
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
    said = " ".join((f"{first}{unsaid}", *broken))
    return f"{_share_of(changed, inputs)} another result than on base", said


def new_non_finite(
    changed: int, inputs: int, given: str, difference: ResultDifference
) -> tuple[str, str]:
    """Return title and message of inputs with NaN or infinity for the first time."""
    return (
        f"{_share_of(changed, inputs)} NaN or infinity, and finite numbers on base",
        f"{given}{_subject(difference)} is finite on base and holds NaN or infinity with this"
        " change.",
    )


def documented_nan(target: Target, given: str, condition: str) -> tuple[str, str]:
    """Return title and message of an example with documented values that gives NaN alone."""
    name = target.function.replace(".<locals>", "")
    variable = condition.removeprefix("finite(").removesuffix(")")
    return (
        f"`{name}` gives NaN for a valid input",
        f"{given}`{variable}` is NaN, and finite in the example itself.\n{DOCUMENTED}",
    )


def refused_inputs(refused: int, inputs: int, given: str, ending: RunOutcome) -> tuple[str, str]:
    """Return title and message of inputs that base takes and the change refuses."""
    verb = "is" if refused == 1 else "are"
    raised = f"`{ending.exception}`" if isinstance(ending, Raised) else "an exception"
    said = " ".join(ending.message.split()) if isinstance(ending, Raised) else ""
    return (
        f"{refused} of {inputs} inputs {verb} refused, and taken on base",
        f"{given}the function returns on base and raises {raised} with this change"
        f"{f': {said}' if said else ''}{_stop(said)}",
    )


DEPENDENT_ROWS = (
    "On base, a row alone gives its row of the batch's result; with this change, rows of a"
    " batch depend on each other."
)
RELOADS = (
    "On base, a model that loads the `state_dict` of another one gives the same results; with this"
    " change, it does not: what is neither a parameter nor a buffer is lost when it is saved."
)
PERMUTES = (
    "On base, the order of the rows makes no difference to their results; with this change, it"
    " does."
)
MASKED = (
    "On base, what stands at masked places makes no difference to the result; with this change,"
    " it does."
)
GRADIENT_LOST = (
    "On base, a gradient reaches it for all inputs; with this change, for none: code that trains"
    " through this function stops learning without an error."
)
SUM = "On base, results sum to one along the last dimension; with this change, some do not."
NEGATIVE = "On base, no result is negative; with this change, some are."


def ignored_argument(name: str) -> str:
    """Return a sentence on an argument that has no effect any more."""
    shown = name.removeprefix("self.")
    return f"On base, `{shown}` changes the result; with this change, it has no effect."


def other_precision(dtype: str) -> str:
    """Return a sentence on arrays of a dtype whose result is another than in float32."""
    return (
        f"On base, the result for {dtype} is that for float32 up to rounding; with this change,"
        " it is not."
    )


def broken_relation(target: Target, given: str, says: str, ending: Violated) -> tuple[str, str]:
    """Return title and message of a relation between calls that holds on base alone."""
    name = target.function.replace(".<locals>", "")
    condition = ending.condition
    return (
        f"`{name}` does not keep `{condition.partition('(')[0]}`, which it keeps on base",
        f"{given}{ending.detail}{_stop(ending.detail)} {says}",
    )


_PROMISES = {
    "assertion": "On base, what the project's own test asserts holds; with this change, it fails.",
    "batch independence": DEPENDENT_ROWS,
    "masked places": MASKED,
    "padding": "On base, masked places that are added at the end make no difference to the result;"
    " with this change, they do: an example gives another result in a batch of longer ones.",
    "cached decoding": "On base, a sequence that is continued from what was kept of its beginning"
    " gives what it gives at once; with this change, it does not.",
    "state_dict": RELOADS,
    "row order": PERMUTES,
    "repetition": "On base, the same call gives the same result again; with this change, it does"
    " not.",
    "reduction": 'On base, `reduction="mean"` and `"sum"` are the mean and the sum of `"none"`;'
    " with this change, they are not.",
    "gradient": "On base, the gradient is that of finite differences; with this change, it is"
    " another: training follows a wrong direction.",
    "precision": other_precision("float64"),
}


def broken_promise(
    target: Target, given: str, promise: Promise, ending: Violated, share: tuple[int, int]
) -> tuple[str, str]:
    """Return title and message of a promise that all programs keep on base, and some not on head.

    ``share``: how many break it, of how many.
    """
    name = target.function.replace(".<locals>", "")
    detail = f" {ending.detail[:1].upper()}{ending.detail[1:]}{_stop(ending.detail)}"
    return (
        f"`{name}` does not keep what it keeps on base: {promise.name}",
        f"{given}`{ending.condition}` holds on base and does not with this change."
        f"{detail if ending.detail else ''} {_promised(promise)} {share[0]} of {share[1]}"
        f" variations of the project's own examples {'breaks' if share[0] == 1 else 'break'} it;"
        " on base, none.",
    )


def _promised(promise: Promise) -> str:
    match promise.name:
        case "function":
            made, function = promise.about.split()
            return (
                f"On base, `{made}` gives what the function `{function}` gives; with this change,"
                " they disagree."
            )
        case "unchanged arguments":
            return (
                f"On base, the call leaves `{promise.about}` as it is; with this change, it"
                " overwrites its caller's values."
            )
        case "settable property":
            return (
                f"On base, `{promise.about}` that is set to its own value keeps it; with this"
                " change, it becomes another."
            )
        case name:
            return _PROMISES[name]


def changed_group(kind: str, place: str, count: int, inputs: int, amount: float) -> str:
    """Return a sentence on the inputs whose results differ in one way."""
    by = f" by at most {amount:.3g}" if amount else ""
    return f"of {inputs} inputs, {count} with another {kind} of `{place}`{by}"


def _share_of(changed: int, inputs: int) -> str:
    return f"{changed} of {inputs} inputs {'has' if changed == 1 else 'have'}"


def _subject(difference: ResultDifference) -> str:
    shown = difference.element or difference.place
    if difference.place.startswith("gradients()"):
        return f"the gradient by `{_derived_by(difference)}`"
    return "the result" if shown == "result" else f"`{shown}`"


def _derived_by(difference: ResultDifference) -> str:
    """Return the element by which a result is derived: ``x[0, 1]``."""
    text = (difference.element or difference.place).removeprefix("gradients()")
    quoted = re.match(r"\[?'([^']*)'\]?", text)
    return text if quoted is None else quoted[1] + text[quoted.end() :]
