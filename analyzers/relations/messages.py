"""Sentences about library calls that misbehave, for who wrote the call."""

from __future__ import annotations

import re
import signal

from analyzers.inference.function_contracts import FunctionContract
from analyzers.inference.inference_messages import given_clause, validity_sentence
from analyzers.vocabulary import Died, Failure, Raised, ReachedDivergence, RunOutcome, TimedOut

LONGEST = 300
_DTYPE = re.compile(r",? dtype=torch\.\w+")
_WHAT = {
    "documentation": "The documentation says otherwise",
    "gradient": "Finite differences say otherwise",
}


def title(reached: ReachedDivergence) -> str:
    """Return what a call does, in a line."""
    name = reached.at.function.replace(".<locals>", "")
    return f"`{reached.divergence.api}` in `{name}` {does(reached)}"


def does(reached: ReachedDivergence) -> str:
    """Return what a library call does: ``takes the process down for a valid input``."""
    ending, divergence = reached.run.ending, reached.divergence
    if isinstance(ending, Died):
        return "takes the process down for a valid input"
    if isinstance(ending, Raised):
        return "fails inside the library for a valid input"
    if isinstance(ending, TimedOut):
        return f"does not return within {ending.seconds:g} s"
    if divergence.rule == "status":
        return "does not refuse what it should"
    plain = {_DTYPE.sub("", text) for text in (divergence.outcome, divergence.expected)}
    return "gives a result of another dtype" if len(plain) == 1 else "gives a wrong result"


def message(
    reached: ReachedDivergence, failure: Failure, terms: FunctionContract, version: str
) -> str:
    """A paragraph a line: what happens, what should, the smallest call, why it is valid."""
    divergence, at = reached.divergence, reached.at
    where = f"`{divergence.api}` ({at.path}:{at.line})"
    happened = f"{given_clause(failure.probe)}{where} {_comes_to(reached)}"
    library = divergence.api.partition(".")[0]
    call = f"The smallest such call is {_code(divergence.call)}, in {library} {version}."
    call = call if divergence.call else f"This is {library} {version}."
    parts = [
        f"{happened}. {_expected(reached)}".strip(),
        call,
        validity_sentence(failure, terms),
        divergence.note,
    ]
    return "\n".join(part for part in parts if part)


def _comes_to(reached: ReachedDivergence) -> str:
    ending: RunOutcome = reached.run.ending
    if isinstance(ending, Died):
        known = {each.value: each.name for each in signal.Signals}
        return f"ends the process with {known.get(ending.signal, f'signal {ending.signal}')}"
    if isinstance(ending, Raised):
        return f"raises `{ending.exception}`: {_words(ending.message)}"
    return f"gives {_code(reached.divergence.outcome)}"


def _expected(reached: ReachedDivergence) -> str:
    divergence = reached.divergence
    if not divergence.related or divergence.related == divergence.expected:
        return ""
    if divergence.relation in _WHAT:
        return f"{_WHAT[divergence.relation]}: {_words(divergence.expected)}."
    called = "(" in divergence.related and " " not in divergence.related.partition("(")[0]
    related = _code(divergence.related) if called else divergence.related
    return f"It should agree with {related}, which gives {_code(divergence.expected)}."


def _code(text: str) -> str:
    return f"`{_words(text).replace('`', chr(39))}`"


def _words(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
