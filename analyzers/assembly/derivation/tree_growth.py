"""The derivation tree, level by level (MoCo, sections III-A2 and III-D).

Each slot is a level: the block in it is mutated in every parent, all nodes of the level are
run, and those that run are parents of the next, half of each equivalence class of them.
The file itself is always one: each block is also changed alone.  Where the tree ends before
its budget, chance is asked again for other mutants.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from analyzers.assembly.derivation.derivation_tree import (
    RAN,
    SEED,
    IsolatedRun,
    Node,
    Policy,
    Run,
    beside,
    compared,
    isolated,
    kind_of,
    needs_isolated_run,
    parse_isolated_run,
)
from analyzers.assembly.disassembly.blocks import Block, DisassembledModel, assembled
from analyzers.assembly.layer_tables import LayerApi, Similarity
from analyzers.assembly.operators.block_changes import BlockMutant
from analyzers.assembly.operators.mutation_operators import (
    bounded,
    features_before,
    generated,
    replaced,
)
from analyzers.vocabulary import AssembledRun


@dataclass(frozen=True, slots=True)
class ParentNode:
    """A node that runs, and its blocks."""

    node: Node
    blocks: tuple[Block, ...]

    def with_block(self, block: Block) -> tuple[Block, ...]:
        """Return the blocks with another one in the slot of this one."""
        return (*self.blocks[: block.slot], block, *self.blocks[block.slot + 1 :])


@dataclass(frozen=True, slots=True)
class ChildNode:
    """A node to be run."""

    parent: ParentNode
    mutant: BlockMutant
    text: str
    level: int


class ChildFactory:
    """Makes the children of nodes; never the same text twice, nor the same illegal value."""

    def __init__(
        self,
        model: DisassembledModel,
        apis: Mapping[str, LayerApi],
        policy: Policy,
        rng: random.Random,
    ) -> None:
        self._template = model.template
        self._apis = apis
        self._policy = policy
        self._rng = rng
        self._similarity = Similarity(apis)
        self._texts = {model.template.source}
        self._tried: set[tuple[str, str, str]] = set()
        self._used = Counter[str]()

    def children(self, parents: Sequence[ParentNode], slot: int, level: int) -> Iterator[ChildNode]:
        """Yield the nodes to be run at a level: one of each parent in turn."""
        waiting = deque(self._mutants(parent, slot, level) for parent in parents)
        while waiting:
            mutants = waiting.popleft()
            child = next(mutants, None)
            if child is not None:
                yield child
                waiting.append(mutants)

    def outside(self, parent: ParentNode, slot: int, level: int) -> Iterator[ChildNode]:
        """Yield boundary checks of a parent's block: of each API once where it is known to run."""
        for mutant in bounded(parent.blocks[slot], self._apis):
            change = mutant.change
            key = (change.api, change.parameter, change.value)
            if key not in self._tried:
                self._tried.add(key)
                yield from self._child(parent, mutant, level)

    def text(self, parent: ParentNode, block: Block) -> str:
        """Return the text of a parent with another block."""
        return assembled(self._template, parent.with_block(block))

    def alone(self, parent: ParentNode, block: Block) -> str:
        """Return the text that tells what comes of a block alone, in its place in a parent."""
        return self.text(parent, isolated(block))

    def question(self, child: ChildNode) -> str:
        """Return the text that runs a child's block alone, beside its parent's where legal."""
        parent, block = child.parent, child.mutant.block
        if child.mutant.change.negative:
            return self.alone(parent, block)
        return self.text(parent, beside(block, parent.blocks[block.slot]))

    def _mutants(self, parent: ParentNode, slot: int, level: int) -> Iterator[ChildNode]:
        for _ in range(self._policy.times):
            mutant = self._mutated(parent, parent.blocks[slot])
            if mutant is not None:
                yield from self._child(parent, mutant, level)

    def _child(self, parent: ParentNode, mutant: BlockMutant, level: int) -> Iterator[ChildNode]:
        text = self.text(parent, mutant.block)
        if text not in self._texts:
            self._texts.add(text)
            yield ChildNode(parent, mutant, text, level)

    def _mutated(self, parent: ParentNode, block: Block) -> BlockMutant | None:
        replaces = self._policy.replace and block.hidden
        first = replaces and self._rng.random() < 0.5
        mutant = self._replaced(parent, block) if first else None
        if mutant is None:
            mutant = generated(block, self._apis, self._rng)
        if mutant is None and replaces and not first:
            mutant = self._replaced(parent, block)
        return mutant

    def _replaced(self, parent: ParentNode, block: Block) -> BlockMutant | None:
        mutant = replaced(
            block,
            self._apis,
            self._similarity,
            self._template.spelled,
            self._rng,
            features_before(parent.blocks, block.slot, self._apis),
            self._used,
        )
        if mutant is not None:
            self._used[mutant.change.api] += 1
        return mutant


Clock = Callable[[], float]


def derive(
    model: DisassembledModel,
    apis: Mapping[str, LayerApi],
    run: Run,
    policy: Policy | None = None,
    clock: Clock = time.monotonic,
) -> Iterator[Node]:
    """Grow the tree of a model, and yield its nodes as they are told apart.

    The first is the file itself.  Where that does not run nothing else can be said, and it
    is the only one.  ``number`` is the order of running; a node that is asked about further
    comes later than others of its level.  ``run`` gives as many states as it is given texts.
    The same seed gives the same tree, as far as the seconds reach.
    """
    return _Derivation(model, apis, run, policy or Policy(), clock).grown()


class _Derivation:
    def __init__(
        self,
        model: DisassembledModel,
        apis: Mapping[str, LayerApi],
        run: Run,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._model = model
        self._run = run
        self._policy = policy
        self._clock = clock
        self._until = clock() + policy.seconds
        self._rng = random.Random(policy.seed)  # noqa: S311 - a search, no secret
        self._mutating = ChildFactory(model, apis, policy, self._rng)
        self._open = list[tuple[ChildNode, int, AssembledRun]]()
        self._negatives = deque[ChildNode]()
        self._count = 1

    def grown(self) -> Iterator[Node]:
        root, slots = self._rooted()
        yield root.node
        for level, slot in enumerate(slots, 1):
            self._negatives.extend(self._mutating.outside(root, slot, level))
        grew = bool(slots)
        while grew and self._is_time():
            before = self._count
            yield from self._round(root, slots)
            grew = self._count > before
        yield from self._level([], 0, [])

    def _round(self, root: ParentNode, slots: Sequence[int]) -> Iterator[Node]:
        parents = [root]
        for level, slot in enumerate(slots, 1):
            quota = (self._policy.nodes - self._count) // (len(slots) - level + 1)
            children = self._mutating.children(parents, slot, level)
            wanted = islice(chain(self._taken(quota // 2), children), max(0, quota))
            ran = list[ParentNode]()
            while self._is_time() and (batch := list(islice(wanted, self._policy.batch))):
                yield from self._level(batch, slot, ran)
            parents = [root, *self._pruned(ran)]

    def _taken(self, most: int) -> Iterator[ChildNode]:
        for _ in range(min(most, len(self._negatives))):
            yield self._negatives.popleft()

    def _is_time(self) -> bool:
        return self._clock() < self._until

    def _rooted(self) -> tuple[ParentNode, list[int]]:
        source, blocks = self._model.template.source, self._model.blocks
        root = Node(0, None, 0, source, self._run([source])[0], SEED)
        parent = ParentNode(root, blocks)
        if root.outcome.state != "ran":
            return parent, []
        wanted = [each for each in blocks if self._policy.concerns(each)]
        texts = [self._mutating.alone(parent, each) for each in wanted]
        found = list[int]()
        for block, outcome in zip(wanted, self._run(texts) if texts else (), strict=True):
            if parse_isolated_run(outcome).state == "ran":
                found.append(block.slot)
        return parent, found

    def _level(
        self, batch: Sequence[ChildNode], slot: int, ran: list[ParentNode]
    ) -> Iterator[Node]:
        asked, self._open = self._open, []
        questions = [self._mutating.question(child) for child, _, _ in asked]
        texts = [*questions, *(child.text for child in batch)]
        outcomes = self._run(texts) if texts else ()
        for (child, number, outcome), told in zip(asked, outcomes, strict=False):
            negative = child.mutant.change.negative
            alone = parse_isolated_run(told) if negative else compared(told)
            yield self._node(child, number, outcome, alone)
        for child, outcome in zip(batch, outcomes[len(questions) :], strict=True):
            number, self._count = self._count, self._count + 1
            if needs_isolated_run(outcome, negative=child.mutant.change.negative):
                self._open.append((child, number, outcome))
                continue
            node = self._node(child, number, outcome)
            if node.kind == RAN:
                grown = ParentNode(node, child.parent.with_block(child.mutant.block))
                ran.append(grown)
                self._negatives.extend(self._mutating.outside(grown, slot, child.level))
            yield node

    def _node(
        self, child: ChildNode, number: int, outcome: AssembledRun, alone: IsolatedRun | None = None
    ) -> Node:
        parent, block, change = child.parent.node, child.mutant.block, child.mutant.change
        former = self._model.blocks[block.slot]
        return Node(
            number,
            parent.number,
            child.level,
            child.text,
            outcome,
            kind_of(outcome, parent.outcome, negative=change.negative, alone=alone),
            block,
            former,
            change,
            alone,
            (*parent.derivation, change.told(former.line)),
        )

    def _pruned(self, ran: Sequence[ParentNode]) -> list[ParentNode]:
        """Return a random share of each equivalence class, at least one node of it."""
        classes = defaultdict[tuple[str, str], list[ParentNode]](list)
        for parent in ran:
            change = parent.node.change
            if change is not None:
                classes[change.operator, change.group].append(parent)
        kept = list[ParentNode]()
        for members in classes.values():
            kept += self._rng.sample(members, math.ceil(len(members) * self._policy.kept))
        self._rng.shuffle(kept)
        return kept
