"""The derivation tree: nodes, their kinds, and blocks that are run alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analyzers.assembly.disassembly.blocks import Block
from analyzers.assembly.operators.block_changes import BlockChange
from analyzers.vocabulary import AssembledRun

Run = Callable[[Sequence[str]], Sequence[AssembledRun]]
"""Runs texts of the file, in order; one state each."""

SEED, RAN, REFUSED = "seed", "ran", "refused"
UNFIT, UNREACHED, NOT_RUN, TIMED_OUT = "unfit", "unreached", "not-run", "timed-out"
BRITTLE, INCONSISTENT, UNCHECKED, DIED, NON_FINITE = (
    "brittle",
    "inconsistent",
    "unchecked",
    "died",
    "non-finite",
)
BUGS = frozenset({INCONSISTENT, UNCHECKED, DIED})
"""The kinds of nodes that break the consistency of execution states: bugs of the library."""


@dataclass(frozen=True, slots=True)
class IsolatedRun:
    """Outcome of a block run alone, on copies of what its place is fed.

    ``state`` is ``ran``, ``differs`` (it ran, and gave something of another structure than the
    parent's block), ``raised``, ``died``, ``timed-out``, ``not-run`` or ``unreached`` (the run did
    not come to the block).  ``outputs`` identifies the structure of what it gave:
    shapes, dtypes, what of it has gradients, whether it lies in 0 to 1, and whether the input
    was written to.
    """

    state: str
    stage: str = ""
    exception: str = ""
    detail: str = ""
    finite: bool = True
    outputs: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One assembled file: its parent's with one block changed.

    ``kind`` is what execution states say of it (MoCo, section III-A3):

    - ``seed``: the file itself; ``ran``: a legal change that runs
    - ``refused``: an illegal value that the library refuses
    - ``unfit``: a legal change whose block does not run on what it is fed there either
    - ``brittle``: the block runs, but what it gives is of another shape, and the rest fails
    - ``inconsistent``: the block runs alone and gives the same shapes, but the file fails
    - ``unchecked``: an illegal value that is taken silently; ``died``: the process crashed
    - ``non-finite``: a legal change after which NaN or infinity comes out, not before
    - ``unreached``, ``timed-out``, ``not-run``: nothing can be told

    ``former`` is the block of the file itself in this place; ``derivation`` are all changes
    since then, one readable line each, the last one this node's.
    """

    number: int
    parent: int | None
    level: int
    text: str
    outcome: AssembledRun
    kind: str
    block: Block | None = None
    former: Block | None = None
    change: BlockChange | None = None
    alone: IsolatedRun | None = None
    derivation: tuple[str, ...] = ()

    @property
    def negative(self) -> bool:
        """Return whether the library should refuse it."""
        return self.change is not None and self.change.negative

    @property
    def line(self) -> int:
        """Return the line of the changed block; 0 for the seed."""
        return self.former.line if self.former is not None else 0

    @property
    def is_bug(self) -> bool:
        """Return whether its state is not that of its parts."""
        return self.kind in BUGS


@dataclass(frozen=True, slots=True)
class Policy:
    """Bounds of a tree's growth.

    ``times`` mutations of each block by replacement or generation; ``kept`` is the share of
    each equivalence class that has children.  ``nodes`` and ``seconds`` bound the tree;
    ``batch`` is how many files are run at once.  ``lines``: only blocks that start or end
    between these lines, first and last included.  ``replace``: whether APIs are replaced.
    """

    times: int = 4
    kept: float = 0.5
    nodes: int = 2_000
    seconds: float = 60.0
    batch: int = 200
    seed: int = 0
    lines: tuple[tuple[int, int], ...] | None = None
    replace: bool = True

    def concerns(self, block: Block) -> bool:
        """Return whether a block is to be changed."""
        if self.lines is None:
            return True
        return any(block.line <= last and first <= block.end_line for first, last in self.lines)


@dataclass(frozen=True, slots=True)
class Tree:
    """All nodes of a derivation, by number."""

    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Tree:
        """Return the tree of a derivation's nodes."""
        return cls(tuple(sorted(nodes, key=lambda each: each.number)))

    def bugs(self) -> tuple[Node, ...]:
        """Return the nodes that break the consistency of execution states."""
        return tuple(each for each in self.nodes if each.is_bug)

    def counted(self) -> Counter[str]:
        """Return how many nodes there are of each kind."""
        return Counter(each.kind for each in self.nodes)

    def apis(self) -> frozenset[str]:
        """Return the APIs that were called in nodes that ran."""
        return frozenset(api for each in self.nodes for api in each.outcome.apis)

    def parent(self, node: Node) -> Node | None:
        """Return the node that a node was derived from."""
        return None if node.parent is None else self.nodes[node.parent]


_PLAIN = {"died": DIED, "timed-out": TIMED_OUT, "not-run": NOT_RUN}
_FAILED = {"ran": INCONSISTENT, "differs": BRITTLE, "not-run": NOT_RUN, "timed-out": NOT_RUN}


def needs_isolated_run(outcome: AssembledRun, *, negative: bool) -> bool:
    """Return whether a node's kind depends on what comes of its block alone."""
    return outcome.state == ("ran" if negative else "raised")


def kind_of(
    outcome: AssembledRun, parent: AssembledRun, *, negative: bool, alone: IsolatedRun | None = None
) -> str:
    """Return the kind of a node.

    ``alone`` is its block's own state, beside the parent's block for a legal change; it is
    needed where :func:`needs_isolated_run` says so.
    """
    if outcome.state in _PLAIN:
        return _PLAIN[outcome.state]
    if negative:
        if outcome.state == "raised":
            return REFUSED
        return UNCHECKED if alone is not None and alone.state == "ran" else UNREACHED
    if outcome.state == "ran":
        return RAN if outcome.finite or not parent.finite else NON_FINITE
    return NOT_RUN if alone is None else _FAILED.get(alone.state, UNFIT)


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
    """Return a block that does what ``former`` does and reports how this one fares beside it."""
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
    """Return what a text with such a block reported; ``UNREACHED`` where malformed or missing."""
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
