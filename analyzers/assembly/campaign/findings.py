"""What a campaign says of the library."""

from __future__ import annotations

from analyzers.assembly.campaign.suspecting import Suspicion
from analyzers.assembly.campaign.witnessing import DIED, Witness
from analyzers.assembly.findings import NAME, STATE, UNCHECKED
from analyzers.judging import DEATH
from analyzers.vocabulary import Crashes, Finding, Json, Level, Probe, Target, Violates

_SAYS = frozenset({"documentation", "error", "code"})
RULED_OUT = "it computes with a value that is ruled out"


def is_backed(suspicion: Suspicion, witness: Witness) -> bool:
    """Whether something more than a search says that a value is wrong.

    That is a crash, a consequence that is seen, or the library's own words and checks.
    """
    if witness.state == DIED or witness.consequence:
        return True
    parameter = suspicion.parameter
    return parameter.said_by in _SAYS and bool(parameter.quote)


def finding(suspicion: Suspicion, witness: Witness, target: Target) -> Finding:
    """The finding of a value that the library takes, or dies of, with a call that shows it."""
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
        "legal": _legal(suspicion),
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
        title=f"{name} kills the process" if died else f"{name} is taken silently: {comes}",
        message=_message(suspicion, comes),
        evidence=evidence,
        probes=(Probe(target.id, {}, (), ensures=(condition,)),),
        criterion=Crashes(DEATH, "", "") if died else Violates(condition),
        input_kind=" ".join((*suspicion.key, "died" if died else "unchecked")),
        reproducer=program,
    )


def _program(suspicion: Suspicion, witness: Witness, comes: str) -> str:
    """The smallest program with the value, and what it shows where that is not its output."""
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


def _message(suspicion: Suspicion, comes: str) -> str:
    parameter, call = suspicion.parameter, suspicion.call
    said = f' ({parameter.said_by}: "{parameter.quote}")' if parameter.said_by in _SAYS else ""
    whole = (
        "A file that is assembled so builds it, calls it and derives the result."
        if suspicion.in_place
        else "Alone, as its documentation calls it, it is built, called and derived."
    )
    return (
        f"`{call.api}` takes `{parameter.name}={suspicion.value}` without a word; legal is"
        f" {_legal(suspicion)}{said}. {whole} What comes of it: {comes}."
    )


def _legal(suspicion: Suspicion) -> str:
    parameter = suspicion.parameter
    if parameter.choices:
        return "one of " + ", ".join(parameter.choices)
    left = "(" if parameter.open_low or parameter.low is None else "["
    right = ")" if parameter.open_high or parameter.high is None else "]"
    low = "-∞" if parameter.low is None else f"{parameter.low:g}"
    high = "∞" if parameter.high is None else f"{parameter.high:g}"
    return f"{left}{low}, {high}{right}"
