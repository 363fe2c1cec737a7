"""The derivation tree, level by level (MoCo, sections III-A2 and III-D).

Each slot is a level: the block in it is mutated in every parent, all nodes of the level are
run, and those that run are parents of the next, half of each equivalence class of them.
The file itself is always one: each block is also changed alone.
"""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from analyzers.assembly.constraints import LayerApi
from analyzers.assembly.derivation.alone import alone, heard
from analyzers.assembly.derivation.judging import asks, kind_of
from analyzers.assembly.derivation.nouns import RAN, SEED, Alone, Node, Policy, Run
from analyzers.assembly.disassembly import Block, Disassembled, assembled
from analyzers.assembly.operators import Mutant, bounded, features_before, generated, replaced
from analyzers.assembly.similarity import Similarity
from analyzers.vocabulary import Assembled

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Parent:
    """A node that runs, and its blocks."""

    node: Node
    blocks: tuple[Block, ...]

    def with_block(self, block: Block) -> tuple[Block, ...]:
        return (*self.blocks[: block.slot], block, *self.blocks[block.slot + 1 :])


@dataclass(frozen=True, slots=True)
class _Child:
    """A node to be run."""

    parent: _Parent
    mutant: Mutant
    text: str


def derive(
    model: Disassembled,
    apis: Mapping[str, LayerApi],
    run: Run,
    policy: Policy | None = None,
    clock: Clock = time.monotonic,
) -> Iterator[Node]:
    """Grow the tree of a model, and yield its nodes as they are told apart.

    The first is the file itself.  Where that does not run nothing else can be said, and it
    is the only one.  The same seed gives the same tree, as far as the seconds reach.
    """
    return _Derivation(model, apis, run, policy or Policy(), clock).grown()


class _Derivation:
    def __init__(
        self,
        model: Disassembled,
        apis: Mapping[str, LayerApi],
        run: Run,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._model = model
        self._apis = apis
        self._run = run
        self._policy = policy
        self._clock = clock
        self._until = clock() + policy.seconds
        self._rng = random.Random(policy.seed)  # noqa: S311 - a search, no secret
        self._similarity = Similarity(apis)
        self._count = 0
        self._texts: set[str] = set()
        self._tried: set[tuple[str, str, str]] = set()
        self._before: dict[tuple[int, int], Alone] = {}

    def grown(self) -> Iterator[Node]:
        """The nodes of the tree, level by level."""
        source = self._model.template.source
        [outcome] = self._run([source])
        seed = self._node(None, 0, source, outcome, SEED)
        yield seed
        if outcome.state != "ran":
            return
        self._texts.add(source)
        root = _Parent(seed, self._model.blocks)
        slots = self._reached(root)
        parents = [root]
        for level, slot in enumerate(slots, 1):
            quota = (self._policy.nodes - self._count) // (len(slots) - level + 1)
            ran = list[_Parent]()
            children = islice(self._children(parents, slot), max(0, quota))
            while self._is_time() and (batch := list(islice(children, self._policy.batch))):
                for child, node in self._judged(batch, level):
                    yield node
                    if node.kind == RAN and not node.negative:
                        ran.append(_Parent(node, child.parent.with_block(child.mutant.block)))
            parents = [root, *self._pruned(ran)]

    def _is_time(self) -> bool:
        return self._clock() < self._until

    def _reached(self, root: _Parent) -> list[int]:
        """The slots of the blocks to be changed that the file's run comes to."""
        wanted = [each for each in self._model.blocks if self._policy.concerns(each)]
        texts = [self._assembled(root, alone(each)) for each in wanted]
        found = list[int]()
        for block, outcome in zip(wanted, self._run(texts) if texts else (), strict=True):
            state = heard(outcome)
            self._before[root.node.number, block.slot] = state
            if state.state == "ran":
                found.append(block.slot)
        return found

    def _assembled(self, parent: _Parent, block: Block) -> str:
        return assembled(self._model.template, parent.with_block(block))

    def _children(self, parents: Sequence[_Parent], slot: int) -> Iterator[_Child]:
        """The nodes of a level, those of the file itself first."""
        for parent in parents:
            for mutant in self._mutants(parent, slot):
                text = self._assembled(parent, mutant.block)
                if text not in self._texts:
                    self._texts.add(text)
                    yield _Child(parent, mutant, text)

    def _mutants(self, parent: _Parent, slot: int) -> Iterator[Mutant]:
        block = parent.blocks[slot]
        yield from self._outside(block)
        for _ in range(self._policy.times):
            mutant = self._mutated(parent, block)
            if mutant is not None:
                yield mutant
                yield from self._outside(mutant.block)

    def _outside(self, block: Block) -> Iterator[Mutant]:
        """Boundary checks of a block, each of an API only once in a tree."""
        for mutant in bounded(block, self._apis):
            change = mutant.change
            key = (change.api, change.parameter, change.value)
            if key not in self._tried:
                self._tried.add(key)
                yield mutant

    def _mutated(self, parent: _Parent, block: Block) -> Mutant | None:
        """A replaced API or another legal value, by chance; the other where there is none."""
        first = self._policy.replace and block.hidden and self._rng.random() < 0.5
        mutant = self._replaced(parent, block) if first else None
        if mutant is None:
            mutant = generated(block, self._apis, self._rng)
        if mutant is None and self._policy.replace and block.hidden and not first:
            mutant = self._replaced(parent, block)
        return mutant

    def _replaced(self, parent: _Parent, block: Block) -> Mutant | None:
        return replaced(
            block,
            self._apis,
            self._similarity,
            self._model.template.spelled,
            self._rng,
            features_before(parent.blocks, block.slot, self._apis),
        )

    def _judged(self, batch: Sequence[_Child], level: int) -> Iterator[tuple[_Child, Node]]:
        outcomes = self._run([child.text for child in batch])
        states = self._alone(batch, outcomes)
        for number, (child, outcome) in enumerate(zip(batch, outcomes, strict=True)):
            parent = child.parent.node
            kind = kind_of(
                outcome,
                parent.outcome,
                negative=child.mutant.change.negative,
                alone=states.get(number),
                before=self._before.get((parent.number, child.mutant.block.slot)),
            )
            yield child, self._node(child, level, child.text, outcome, kind, states.get(number))

    def _alone(self, batch: Sequence[_Child], outcomes: Sequence[Assembled]) -> dict[int, Alone]:
        """The states of the blocks alone that judging the nodes of a batch asks for."""
        asked = [
            number
            for number, (child, outcome) in enumerate(zip(batch, outcomes, strict=True))
            if asks(outcome, negative=child.mutant.change.negative)
        ]
        places = dict[tuple[int, int], str]()
        for number in asked:
            parent, slot = batch[number].parent, batch[number].mutant.block.slot
            place = (parent.node.number, slot)
            if place not in self._before and not batch[number].mutant.change.negative:
                places[place] = self._assembled(parent, alone(parent.blocks[slot]))
        texts = [self._assembled(batch[n].parent, alone(batch[n].mutant.block)) for n in asked]
        told = [heard(each) for each in self._run([*texts, *places.values()])] if asked else []
        self._before.update(zip(places, told[len(asked) :], strict=True))
        return dict(zip(asked, told, strict=False))

    def _node(
        self,
        child: _Child | None,
        level: int,
        text: str,
        outcome: Assembled,
        kind: str,
        state: Alone | None = None,
    ) -> Node:
        number, self._count = self._count, self._count + 1
        if child is None:
            return Node(number, None, level, text, outcome, kind)
        parent, block, change = child.parent.node, child.mutant.block, child.mutant.change
        former = self._model.blocks[block.slot]
        derivation = (*parent.derivation, change.told(former.line))
        return Node(
            number,
            parent.number,
            level,
            text,
            outcome,
            kind,
            block,
            former,
            change,
            state,
            derivation,
        )

    def _pruned(self, ran: Sequence[_Parent]) -> list[_Parent]:
        """A share of each equivalence class, at least one node of it, in the order of the tree."""
        classes = defaultdict[tuple[str, str], list[_Parent]](list)
        for parent in ran:
            change = parent.node.change
            assert change is not None
            classes[change.operator, change.group].append(parent)
        kept = list[_Parent]()
        for members in classes.values():
            kept += self._rng.sample(members, math.ceil(len(members) * self._policy.kept))
        self._rng.shuffle(kept)
        return kept
