"""Findings of fuzzing, each kind once, and their programs."""

from __future__ import annotations

import ast
import re
import signal
from dataclasses import asdict, dataclass
from typing import Any, Mapping

from ...inputs.recipes import BadRecipe
from ..library_calls import apis_by_name, call_text, live_call, parse_call
from ..oracles.oracle_registry import NOT_INTERNAL
from ..relation_types import (
    CRASH,
    CRASHED,
    EXCEPTION,
    HUNG,
    STATUS,
    SUCCESS,
    CallOutcome,
    Disagreement,
    Library,
)

GOES_ON = "a result or an exception: the process goes on"
ENDS = "a result or an exception in time"
_EXPECTED = CallOutcome(SUCCESS, GOES_ON)
_IN_TIME = CallOutcome(SUCCESS, ENDS)
_SAYS_WHY = CallOutcome(EXCEPTION, "an exception that says what is wrong with the arguments")
_LARGE = re.compile(r"(?<![\d.])\d{8,}(?![\d.])")
_NOT_FINITE = re.compile(r"\b(nan|inf)\b")
_NUMBER = re.compile(r"-?\d[\w.+-]*|\[[^\]]*\]|\([^)]*\)|0x[0-9a-f]+")

Row = dict[str, Any]


@dataclass(frozen=True)
class FuzzFinding:
    """A call, by its text, and what it disagrees with."""

    call: str
    disagreement: Disagreement

    @property
    def key(self) -> tuple[str, ...]:
        """Return what is the same for findings of one kind, whatever their values."""
        return key(self.disagreement)

    @property
    def ends_process(self) -> bool:
        """Return whether the call takes its process down, or never comes back."""
        return ends_process(self.disagreement)

    def row(self) -> Row:
        """Return as a ``divergence`` of the study's report."""
        found = self.disagreement
        return {
            "kind": "divergence",
            "api": found.api,
            "rule": found.rule,
            "relation": found.relation,
            "related": found.related,
            "call": self.call,
            "outcome": found.outcome.text,
            "expected": found.expected.text,
        }


def key(found: Disagreement) -> tuple[str, ...]:
    """Return API, rule, relation and kind of a disagreement.

    The kind is how both ended, and for values what is wrong about them: shape,
    dtype, how many there are, NaN, or the elements.
    """
    ends = (found.outcome.status, found.outcome.exception, found.expected.status)
    return (found.api, found.rule, found.relation, found.related, *ends, _kind(found))


def _kind(found: Disagreement) -> str:
    if found.outcome.status != SUCCESS:
        return str(found.outcome.signal) or _NUMBER.sub("#", found.outcome.text)[:60]
    for word in ("dtype is", "shape is", "items, expected"):
        if word in found.expected.text:
            return word
    both = (found.outcome.text, found.expected.text)
    return " ".join("not finite" if _NOT_FINITE.search(text) else "finite" for text in both)


def ends_process(found: Disagreement) -> bool:
    """Return whether the process died of it or hung."""
    return found.outcome.status == HUNG or (
        found.outcome.status == CRASHED and not found.outcome.exception
    )


def death_disagreement(api: str, number: int) -> Disagreement:
    """Return that a call took its process down: by a signal, or 0 where it left by itself."""
    text = signal.Signals(number).name if number else "it ended the process"
    return Disagreement(
        api, GOES_ON, STATUS, CRASH, CallOutcome(CRASHED, text, "", number), _EXPECTED
    )


def internal_assertion(api: str, outcome: CallOutcome) -> Disagreement:
    """Return that an assertion inside the library failed."""
    return Disagreement(api, NOT_INTERNAL, STATUS, CRASH, outcome, _SAYS_WHY)


def hang_disagreement(api: str, seconds: float) -> Disagreement:
    """Return that a call did not come back."""
    outcome = CallOutcome(HUNG, f"no result after {seconds:g} s")
    return Disagreement(api, ENDS, STATUS, STATUS, outcome, _IN_TIME)


def asks_for_much(call: str) -> bool:
    """Return whether a call has a number so large that it explains a hang."""
    return _LARGE.search(call) is not None


def pack_finding(finding: FuzzFinding) -> Row:
    """Return a finding as plain data, for another process."""
    found = finding.disagreement
    return {
        **finding.row(),
        "outcome": asdict(found.outcome),
        "expected": asdict(found.expected),
    }


def unpack_finding(row: Mapping[str, Any]) -> FuzzFinding:
    """Return the finding that plain data is."""
    texts = [row[name] for name in ("api", "related", "relation", "rule")]
    ends = [CallOutcome(**row[name]) for name in ("outcome", "expected")]
    return FuzzFinding(row["call"], Disagreement(*texts, *ends))


_SPECIAL = {"nan": 'float("nan")', "inf": 'float("inf")'}


def reproducer(row: Mapping[str, Any], library: Library) -> str:
    """Return a program of three lines for a ``divergence`` row, with what the call relates to."""
    from ..synthesis.call_templates import apply_template

    lines = [f"import {library.name}", f"print({python_source(row['call'])})  # {row['outcome']}"]
    try:
        live = live_call(parse_call(row["call"], library), library)
        source = apis_by_name(library)[row["api"]]
        related = call_text(apply_template(row["related"], source, live, library), library)
        lines.append(f"print({python_source(related.source())})  # {row['expected']}")
    except (BadRecipe, LookupError):
        lines.append(f"# {row['relation']}: {row['related']}: {row['expected']}")
    return "\n".join(lines) + "\n"


def python_source(call: str) -> str:
    """Return the text of a call as Python runs it: recipes have names for NaN and infinity."""
    return ast.unparse(_SpecialNumbers().visit(ast.parse(call, mode="eval")))


class _SpecialNumbers(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in _SPECIAL:
            return node
        return ast.parse(_SPECIAL[node.id], mode="eval").body
