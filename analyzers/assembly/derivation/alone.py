"""A block run alone, on what it is fed where it stands: S(b) of MoCo, section III-A3.

In the text of the parent the block is replaced by one that, when it is called, runs the
block on copies of its arguments, derives the sum of what it gives, and raises with an
account of it.  So the expressions in the block mean what they mean there, its input has the
shape that the parent gives it, and the rest of the file has no say.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from analyzers.assembly.derivation.nouns import Alone
from analyzers.assembly.disassembly import Block
from analyzers.vocabulary import Assembled

MARK = "assayer-alone "
UNREACHED = "unreached"
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

def tell(state, stage="", error=None, outputs=(), written=False, kind=""):
    finite = all(bool(torch.isfinite(each).all()) for each in outputs)
    looked = repr([kind, written, [looks(each) for each in outputs]])
    said = str(error or "").encode("ascii", "replace").decode()[:90]
    name = type(error).__name__[:40] if error is not None else ""
    account = [state, stage, name, finite, "%08x" % zlib.crc32(looked.encode()), said]
    raise RuntimeError("{MARK}" + json.dumps(account)) from None

class Alone(torch.nn.Module):
    def __init__(self, make):
        super().__init__()
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
            given, named = fresh(given), fresh(named)
            fed = leaves([given, named])
            before = [each._version for each in fed]
            result = self.block(*given, **named)
            written = before != [each._version for each in fed]
            outputs = leaves(result)
            sums = [each.sum() for each in outputs if each.requires_grad]
            stage = "backward"
            if sums:
                sum(each.real for each in sums).backward()
        except BaseException as error:
            tell("raised", stage, error)
        tell("ran", "", None, outputs, written, type(result).__name__)
'''
_MAKER = f'(lambda s: (exec({_CODE!r}, s), s["Alone"])[1])({{}})'


def alone(block: Block) -> Block:
    """A block that tells what comes of running this block alone, instead of it."""
    if not block.fed:
        return replace(block, pieces=(f"{_MAKER}(lambda: {block.pieces[0]})",))
    head, tail = block.pieces
    whole = f"{_MAKER}(lambda: lambda _fed: {head}_fed{tail})("
    return replace(block, pieces=(whole, ")"))


def heard(outcome: Assembled) -> Alone:
    """What a run of a text with such a block told; that it was not reached where it told nothing.

    What a run says is data: an account of another form counts for nothing.
    """
    if outcome.state in {"died", "timed-out", "not-run"}:
        return Alone(outcome.state, outcome.stage, outcome.exception, outcome.detail)
    _, mark, account = outcome.detail.partition(MARK)
    if outcome.state != "raised" or not mark:
        return Alone(UNREACHED, outcome.stage, outcome.exception, outcome.detail)
    return _read(account) or Alone(UNREACHED, detail=outcome.detail)


def _read(account: str) -> Alone | None:
    try:
        told: Any = json.loads(account)
    except ValueError:
        return None
    match told:
        case [
            "ran" | "raised" as state,
            str() as stage,
            str() as exception,
            bool() as finite,
            str() as outputs,
            str() as detail,
        ]:
            return Alone(state, stage, exception, detail, finite, outputs)
        case _:
            return None
