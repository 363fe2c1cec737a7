"""A block run alone, on what it is fed where it stands: S(b) of MoCo, section III-A3.

In the text of the parent the block is replaced by one that, when it is called, runs the
block on copies of its arguments, derives the sum of what it gives, and raises with an
account of it; or goes on as the parent does where the block gives what the parent's gives.
So the expressions in the block mean what they mean there, its input has the shape that the
parent gives it, and the rest of the file has no say.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from analyzers.assembly.derivation.derivation_tree import UNREACHED, IsolatedRun
from analyzers.assembly.disassembly.blocks import Block
from analyzers.vocabulary import AssembledRun

MARK = "assayer-alone "
_CODE = f'''
import json, zlib, torch

def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    many = isinstance(value, (dict, list, tuple))
    return [leaf for part in parts for leaf in leaves(part)] if many else []

def fresh(value):
    if isinstance(value, torch.Tensor):
        copy = value.detach().clone(memory_format=torch.contiguous_format)
        return copy.requires_grad_().clone() if value.requires_grad else copy
    if isinstance(value, dict):
        return {{key: fresh(each) for key, each in value.items()}}
    if type(value) in (list, tuple):
        return type(value)(fresh(each) for each in value)
    return value

def looks(leaf):
    told = [tuple(leaf.shape), str(leaf.dtype), leaf.requires_grad]
    if leaf.is_floating_point() and leaf.numel():
        told.append(bool(((leaf < 0) | (leaf > 1)).any()))
    return told

def account(result, written):
    outputs = leaves(result)
    looked = repr([type(result).__name__, written, [looks(each) for each in outputs]])
    finite = all(bool(torch.isfinite(each).all()) for each in outputs)
    return finite, "%08x" % zlib.crc32(looked.encode())

def tell(state, stage="", error=None, finite=True, outputs=""):
    said = str(error or "").encode("ascii", "replace").decode()[:90]
    name = type(error).__name__[:40] if error is not None else ""
    told = [state, stage, name, finite, outputs, said]
    raise RuntimeError("{MARK}" + json.dumps(told)) from None

def versions(given, named):
    return [each._version for each in leaves([given, named])]

class Alone(torch.nn.Module):
    def __init__(self, make, former=None):
        super().__init__()
        self.former = None if former is None else former()
        try:
            self.block = make()
        except BaseException as error:
            tell("raised", "build", error)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "block":
                raise
            return getattr(self.block, name)

    def forward(self, *given, **named):
        stage = "forward"
        try:
            args, more = fresh(given), fresh(named)
            before = versions(args, more)
            result = self.block(*args, **more)
            finite, outputs = account(result, before != versions(args, more))
            sums = [each.sum() for each in leaves(result) if each.requires_grad]
            stage = "backward"
            if sums:
                sum(each.real for each in sums).backward()
        except BaseException as error:
            tell("raised", stage, error)
        if self.former is None:
            tell("ran", "", None, finite, outputs)
        before = versions(given, named)
        wanted = self.former(*given, **named)
        if outputs != account(wanted, before != versions(given, named))[1]:
            tell("differs", "", None, finite, outputs)
        return wanted
'''
_MAKER = f'(lambda s: (exec({_CODE!r}, s), s["Alone"])[1])({{}})'


def isolated(block: Block) -> Block:
    """Return a block that tells what comes of the first call of this block alone, instead of it."""
    return _in_place(block, f"lambda: {_written(block)}")


def beside(block: Block, former: Block) -> Block:
    """Return a block that does what ``former`` does, and runs this one alone beside each call.

    It tells of the first call that fails, or gives something of another structure; where it
    tells nothing and the file runs, all calls run and give the same structure.
    """
    return _in_place(block, f"lambda: {_written(block)}, lambda: {_written(former)}")


def _written(block: Block) -> str:
    if not block.fed:
        return block.pieces[0]
    head, tail = block.pieces
    return f"lambda _fed: {head}_fed{tail}"


def _in_place(block: Block, made: str) -> Block:
    whole = f"{_MAKER}({made})"
    return replace(block, pieces=(f"{whole}(", ")") if block.fed else (whole,))


def compared(outcome: AssembledRun) -> IsolatedRun:
    """Return what a run of a text with such a block beside another told."""
    return IsolatedRun("ran") if outcome.state == "ran" else parse_isolated_run(outcome)


def parse_isolated_run(outcome: AssembledRun) -> IsolatedRun:
    """Return what a run of a text with such a block told; ``UNREACHED`` where it told nothing.

    What a run says is data: an account of another form counts for nothing.
    """
    if outcome.state in {"died", "timed-out", "not-run"}:
        return IsolatedRun(outcome.state, outcome.stage, outcome.exception, outcome.detail)
    _, mark, account = outcome.detail.partition(MARK)
    if outcome.state != "raised" or not mark:
        return IsolatedRun(UNREACHED, outcome.stage, outcome.exception, outcome.detail)
    return _read(account) or IsolatedRun(UNREACHED, detail=outcome.detail)


def _read(account: str) -> IsolatedRun | None:
    try:
        told: Any = json.loads(account)
    except ValueError:
        return None
    match told:
        case [
            "ran" | "raised" | "differs" as state,
            str() as stage,
            str() as exception,
            bool() as finite,
            str() as outputs,
            str() as detail,
        ]:
            return IsolatedRun(state, stage, exception, detail, finite, outputs)
        case _:
            return None
