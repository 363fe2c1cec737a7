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
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice

from analyzers.assembly.constraints import LayerApi
from analyzers.assembly.derivation.alone import heard
from analyzers.assembly.derivation.asking import Asking, Judged
from analyzers.assembly.derivation.judging import asks, kind_of
from analyzers.assembly.derivation.mutating import Child, Mutating, Parent
from analyzers.assembly.derivation.nouns import RAN, SEED, Node, Policy, Run
from analyzers.assembly.disassembly import Disassembled

Clock = Callable[[], float]


def derive(
    model: Disassembled,
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
        model: Disassembled,
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
        self._mutating = Mutating(model, apis, policy, self._rng)
        self._asking = Asking(self._mutating)
        self._negatives = deque[Child]()
        self._count = 1

    def grown(self) -> Iterator[Node]:
        """The nodes of the tree."""
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

    def _round(self, root: Parent, slots: Sequence[int]) -> Iterator[Node]:
        """Once through all levels; with other mutants than before."""
        parents = [root]
        for level, slot in enumerate(slots, 1):
            quota = (self._policy.nodes - self._count) // (len(slots) - level + 1)
            children = self._mutating.children(parents, slot, level)
            wanted = islice(chain(self._taken(quota // 2), children), max(0, quota))
            ran = list[Parent]()
            while self._is_time() and (batch := list(islice(wanted, self._policy.batch))):
                yield from self._level(batch, slot, ran)
            parents = [root, *self._pruned(ran)]

    def _taken(self, most: int) -> Iterator[Child]:
        """Boundary checks that are due: of blocks that are known to run where they are."""
        for _ in range(min(most, len(self._negatives))):
            yield self._negatives.popleft()

    def _is_time(self) -> bool:
        return self._clock() < self._until

    def _rooted(self) -> tuple[Parent, list[int]]:
        """The file itself, and the slots of the blocks to be changed that its run comes to."""
        source, blocks = self._model.template.source, self._model.blocks
        root = Node(0, None, 0, source, self._run([source])[0], SEED)
        parent = Parent(root, blocks)
        if root.outcome.state != "ran":
            return parent, []
        wanted = [each for each in blocks if self._policy.concerns(each)]
        texts = [self._mutating.alone(parent, each) for each in wanted]
        found = list[int]()
        for block, outcome in zip(wanted, self._run(texts) if texts else (), strict=True):
            if heard(outcome).state == "ran":
                found.append(block.slot)
        return parent, found

    def _level(self, batch: Sequence[Child], slot: int, ran: list[Parent]) -> Iterator[Node]:
        """Run nodes, and what was asked about nodes before; those that run are added to ``ran``."""
        questions = self._asking.texts()
        texts = [*questions, *(child.text for child in batch)]
        outcomes = self._run(texts) if texts else ()
        for judged in self._asking.answered(outcomes[: len(questions)]):
            yield self._node(judged)
        for child, outcome in zip(batch, outcomes[len(questions) :], strict=True):
            number, self._count = self._count, self._count + 1
            negative = child.mutant.change.negative
            if asks(outcome, negative=negative):
                self._asking.ask(child, number, outcome)
                continue
            kind = kind_of(outcome, child.parent.node.outcome, negative=negative)
            node = self._node(Judged(child, number, outcome, kind))
            if kind == RAN:
                grown = Parent(node, child.parent.with_block(child.mutant.block))
                ran.append(grown)
                self._negatives.extend(self._mutating.outside(grown, slot, child.level))
            yield node

    def _node(self, judged: Judged) -> Node:
        child = judged.child
        parent, block, change = child.parent.node, child.mutant.block, child.mutant.change
        former = self._model.blocks[block.slot]
        return Node(
            judged.number,
            parent.number,
            child.level,
            child.text,
            judged.outcome,
            judged.kind,
            block,
            former,
            change,
            judged.alone,
            (*parent.derivation, change.told(former.line)),
        )

    def _pruned(self, ran: Sequence[Parent]) -> list[Parent]:
        """A share of each equivalence class, at least one node of it, in an order by chance."""
        classes = defaultdict[tuple[str, str], list[Parent]](list)
        for parent in ran:
            change = parent.node.change
            if change is not None:
                classes[change.operator, change.group].append(parent)
        kept = list[Parent]()
        for members in classes.values():
            kept += self._rng.sample(members, math.ceil(len(members) * self._policy.kept))
        self._rng.shuffle(kept)
        return kept
