"""The children of nodes at one slot: replacement, generation, and boundary checks of each."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzers.assembly.constraints import LayerApi
from analyzers.assembly.derivation.alone import alone, beside
from analyzers.assembly.derivation.nouns import Node, Policy
from analyzers.assembly.disassembly import Block, Disassembled, assembled
from analyzers.assembly.operators import Mutant, bounded, features_before, generated, replaced
from analyzers.assembly.similarity import Similarity


@dataclass(frozen=True, slots=True)
class Parent:
    """A node that runs, and its blocks."""

    node: Node
    blocks: tuple[Block, ...]

    def with_block(self, block: Block) -> tuple[Block, ...]:
        """The blocks with another one in the slot of this one."""
        return (*self.blocks[: block.slot], block, *self.blocks[block.slot + 1 :])


@dataclass(frozen=True, slots=True)
class Child:
    """A node to be run."""

    parent: Parent
    mutant: Mutant
    text: str
    level: int


class Mutating:
    """Makes the children of nodes; never the same text twice, nor the same illegal value."""

    def __init__(
        self,
        model: Disassembled,
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

    def children(self, parents: Sequence[Parent], slot: int, level: int) -> Iterator[Child]:
        """The nodes to be run at a level: of each parent in turn one, the first parent first."""
        waiting = deque(self._mutants(parent, slot, level) for parent in parents)
        while waiting:
            mutants = waiting.popleft()
            child = next(mutants, None)
            if child is not None:
                yield child
                waiting.append(mutants)

    def outside(self, parent: Parent, slot: int, level: int) -> Iterator[Child]:
        """Boundary checks of a parent's block: of each API once where it is known to run."""
        for mutant in bounded(parent.blocks[slot], self._apis):
            change = mutant.change
            key = (change.api, change.parameter, change.value)
            if key not in self._tried:
                self._tried.add(key)
                yield from self._child(parent, mutant, level)

    def text(self, parent: Parent, block: Block) -> str:
        """The text of a parent with another block."""
        return assembled(self._template, parent.with_block(block))

    def alone(self, parent: Parent, block: Block) -> str:
        """The text that tells what comes of a block alone, in its place in a parent."""
        return self.text(parent, alone(block))

    def question(self, child: Child) -> str:
        """The text that tells what comes of a child's block, beside its parent's where legal."""
        parent, block = child.parent, child.mutant.block
        if child.mutant.change.negative:
            return self.alone(parent, block)
        return self.text(parent, beside(block, parent.blocks[block.slot]))

    def _mutants(self, parent: Parent, slot: int, level: int) -> Iterator[Child]:
        for _ in range(self._policy.times):
            mutant = self._mutated(parent, parent.blocks[slot])
            if mutant is not None:
                yield from self._child(parent, mutant, level)

    def _child(self, parent: Parent, mutant: Mutant, level: int) -> Iterator[Child]:
        text = self.text(parent, mutant.block)
        if text not in self._texts:
            self._texts.add(text)
            yield Child(parent, mutant, text, level)

    def _mutated(self, parent: Parent, block: Block) -> Mutant | None:
        """A replaced API or another legal value, by chance; the other where there is none."""
        replaces = self._policy.replace and block.hidden
        first = replaces and self._rng.random() < 0.5
        mutant = self._replaced(parent, block) if first else None
        if mutant is None:
            mutant = generated(block, self._apis, self._rng)
        if mutant is None and replaces and not first:
            mutant = self._replaced(parent, block)
        return mutant

    def _replaced(self, parent: Parent, block: Block) -> Mutant | None:
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
