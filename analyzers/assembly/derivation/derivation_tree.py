"""The derivation tree: nodes, what is predicted of each, and how much of it to grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

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
    needed where :func:`asks` says so.
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
