"""Consequences of a value that is taken: NaN, a negative variance, another value's result.

A text runs a call with the value and with legal ones, on the same weights and inputs, of
several sizes.  What only the value shows, is a sign of it; the same result as that of one
legal value, where legal ones differ, says that the value counts for nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from analyzers.assembly import messages
from analyzers.assembly.assembly_findings import NAME, STATE, UNCHECKED
from analyzers.assembly.campaign.suspicions import MinimalCall, Suspicion
from analyzers.criteria import DEATH
from analyzers.vocabulary import (
    AssembledRun,
    Crashes,
    Finding,
    Json,
    Level,
    Probe,
    Target,
    Violates,
)

MARK = "assayer-witness "
CHANGES = ("", " * 0.01", " * 100", ".abs()")
"""Changes of the inputs, for which of them a value shows what it does."""
_SIGN = re.compile(r"[A-Za-z_ ]{0,60}")
_SIGNAL = re.compile(r"[A-Za-z0-9 ]{1,20}")
TAKEN, REFUSED, DIED, UNKNOWN = "taken", "refused", "died", "unknown"
_CODE = f"""\
import json, zlib, torch

def floats(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()

def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value] if floats(value) else []
    parts = value.values() if isinstance(value, dict) else value
    many = isinstance(value, (dict, list, tuple))
    return [leaf for part in parts for leaf in leaves(part)] if many else []

def fed(change):
    torch.manual_seed(0)
    given = [change(each) if floats(each) else each for each in GIVEN()]
    return [each.detach().requires_grad_() if floats(each) else each for each in given]

def unfinite(tensors, where):
    found = [where] if any(bool(torch.isnan(each).any()) for each in tensors) else []
    return [("NaN" + each) for each in found] or [
        "infinity" + where for each in tensors[:1]
        if any(bool(torch.isinf(one).any()) for one in tensors)]

def tried(make, change):
    given = fed(change)
    torch.manual_seed(0)
    layer = make()
    torch.manual_seed(0)
    outputs = leaves(layer(*given))
    signs = unfinite(outputs, "")
    sums = [each.sum() for each in outputs if each.requires_grad]
    if sums:
        sum(sums).backward()
    learnt = list(getattr(layer, "parameters", list)())
    signs += unfinite([each.grad for each in [*given, *learnt]
                       if floats(each) and each.grad is not None], " gradient")
    for name, buffer in getattr(layer, "named_buffers", list)():
        if "var" in name and buffer is not None and bool((buffer < 0).any()):
            signs.append("negative " + name)
    if hasattr(layer, "eval"):
        signs += unfinite(leaves(layer.eval()(*fed(change))), " in eval")
    bare = [each.detach().contiguous() for each in outputs]
    if bare and all(bool((each >= 0).all()) for each in given if floats(each)):
        if any(bool((each < 0).any()) for each in bare):
            signs.append("negative output of a positive input")
    return signs, zlib.crc32(b"".join(each.numpy().tobytes() for each in bare))

CHANGES = ({", ".join(f"lambda x: x{each}" for each in CHANGES)})

def account(make):
    results = [tried(make, change) for change in CHANGES]
    return [signs for signs, _ in results], [print_ for _, print_ in results]

def known(make):
    try:
        return account(make)
    except Exception:
        return None

def told():
    try:
        signs, prints = account(VALUE)
    except Exception as error:
        return ["refused", type(error).__name__, str(error)[:120]]
    legal = {{name: known(make) for name, make in LEGAL.items()}}
    legal = {{name: found for name, found in legal.items() if found is not None}}
    usual = {{sign for found, _ in legal.values() for each in found for sign in each}}
    own = [[sign, at] for at, each in enumerate(signs) for sign in each if sign not in usual]
    same = [name for name, (_, found) in legal.items() if found == prints]
    differ = len({{tuple(found) for _, found in legal.values()}}) > 1
    sign, at = own[0] if legal and own else ["", 0]
    return ["taken", sign, at, same[0] if same and differ else ""]

raise RuntimeError({MARK!r} + json.dumps(told()))
"""


@dataclass(frozen=True, slots=True)
class ValueConsequence:
    """Consequence of a call: ``taken``, ``refused`` or ``died``; ``unknown`` where nobody tells.

    ``sign`` is what only this value shows, where ``change`` is done to the inputs; ``same`` is
    the legal value whose result it has.
    """

    state: str
    sign: str = ""
    change: str = ""
    same: str = ""
    detail: str = ""

    @property
    def consequence(self) -> str:
        """Return what is seen; empty where nothing is."""
        if self.sign:
            return self.sign
        return f"taken as {self.same}" if self.same else ""


def question_program(call: MinimalCall, legal: Mapping[str, MinimalCall]) -> str:
    """Return the text that tells what comes of a call, beside those with legal values."""
    makers = ", ".join(f"{value!r}: lambda: {each.made}" for value, each in legal.items())
    head = f"GIVEN = lambda: ({', '.join(call.inputs)},)\n"
    value = f"VALUE = lambda: {call.made}\nLEGAL = {{{makers}}}\n"
    return f"import torch\n{head}{value}{_CODE}"


def parse_consequence(outcome: AssembledRun, legal: Collection[str]) -> ValueConsequence:
    """Return what such a text said; anything but plain words and ``legal`` values is dropped."""
    if outcome.state == "died":
        return ValueConsequence(
            DIED, detail=outcome.detail if _SIGNAL.fullmatch(outcome.detail) else ""
        )
    _, mark, account = outcome.detail.partition(MARK)
    if outcome.state != "raised" or not mark:
        return ValueConsequence(UNKNOWN, detail=outcome.detail)
    try:
        told: Any = json.loads(account)
    except ValueError:
        return ValueConsequence(UNKNOWN)
    match told:
        case ["taken", str() as sign, int() as at, str() as same] if (
            _SIGN.fullmatch(sign) and 0 <= at < len(CHANGES) and same in {"", *legal}
        ):
            return ValueConsequence(TAKEN, sign, CHANGES[at], same)
        case ["refused", str() as kind, str() as detail]:
            return ValueConsequence(REFUSED, detail=f"{kind}: {detail}")
        case _:
            return ValueConsequence(UNKNOWN)


_SAYS = frozenset({"documentation", "error", "code"})
RULED_OUT = "it computes with a value that is ruled out"


def is_backed(suspicion: Suspicion, witness: ValueConsequence) -> bool:
    """Return whether a crash, a consequence, or the library's words or checks back a suspicion."""
    if witness.state == DIED or witness.consequence:
        return True
    parameter = suspicion.parameter
    return parameter.said_by in _SAYS and bool(parameter.quote)


def finding(suspicion: Suspicion, witness: ValueConsequence, target: Target) -> Finding:
    """Return the finding of a value that the library takes, or dies of, with a program."""
    call, parameter = suspicion.call, suspicion.parameter
    died = witness.state == DIED
    comes = f"the process dies ({witness.detail})" if died else witness.consequence or RULED_OUT
    condition = call.refused
    program = _program(suspicion, witness, comes)
    evidence: dict[str, Json] = {
        "api": call.api,
        "parameter": parameter.name,
        "value": suspicion.value,
        "derivation": list(suspicion.derivation),
        "consequence": comes,
        "legal": messages.legal_values(suspicion),
        "said_by": parameter.said_by,
        "quote": parameter.quote,
        "in_place": suspicion.in_place,
        "program": program,
    }
    name = f"{call.api}({parameter.name}={suspicion.value})"
    return Finding(
        analyzer=NAME,
        rule=STATE if died else UNCHECKED,
        level=Level.FAILURE if died else Level.WARNING,
        path=target.path,
        line=suspicion.line,
        end_line=suspicion.line,
        symbol=target.id,
        target=target.id,
        title=messages.library_title(name, comes, died=died),
        message=messages.library_message(suspicion, comes),
        evidence=evidence,
        probes=(Probe(target.id, {}, (), ensures=(condition,)),),
        criterion=Crashes(DEATH, "", "") if died else Violates(condition),
        input_kind=" ".join((*suspicion.key, "died" if died else "unchecked")),
        reproducer=program,
    )


def _program(suspicion: Suspicion, witness: ValueConsequence, comes: str) -> str:
    call = suspicion.call.fed(witness.change)
    program = call.program
    if "in eval" in comes:
        program += f"print(layer.eval()({', '.join(call.inputs)}))\n"
    elif comes.startswith("negative running"):
        program += "print(dict(layer.named_buffers()))\n"
    elif witness.same:
        legal = call.with_value(suspicion.parameter.name, witness.same)
        program += f"\n{legal.program.partition(chr(10) * 2)[2]}"
    return f"{program}# {comes}\n"
