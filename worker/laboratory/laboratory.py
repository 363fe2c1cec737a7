"""What runs are made with: two trees, a place, the engines, the sources, the plan."""

from __future__ import annotations

import re
import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import link
from pathlib import Path

from analyzers.ports import Plan
from analyzers.vocabulary import ObservedCall, Suggestion
from worker.broker import Broker
from worker.environments import Environment
from worker.laboratory.examples import Examples
from worker.laboratory.place import Place
from worker.sources import Sources
from worker.temporary import owned_folder


@dataclass(frozen=True, slots=True)
class Tree:
    """One revision's files on disk, their texts by path, what they run in."""

    root: Path
    texts: Mapping[str, str]
    environment: Environment | None = None


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Everything that runs share: the place, the engines, the sources, the plan.

    ``examples`` are what failed in this repository before, ``observed`` the calls
    of a file's functions in tests, by the file and the tests, ``tested`` the
    outcomes of test files on head.
    """

    place: Place
    broker: Broker
    sources: Sources
    plan: Plan
    head: Tree
    base: Tree
    left_out: tuple[str, ...] = ()
    examples: Examples = field(default_factory=Examples)
    observed: dict[tuple[str, frozenset[str]], Sequence[ObservedCall]] = field(
        default_factory=dict[tuple[str, frozenset[str]], Sequence[ObservedCall]]
    )

    tested: dict[tuple[str, ...], dict[str, bool]] = field(
        default_factory=dict[tuple[str, ...], dict[str, bool]]
    )

    def place_of(self, tree: Tree) -> Place:
        """Where the code of a tree runs."""
        return self.place.of(tree.environment)

    def describe(self) -> tuple[str, ...]:
        """What runs are made with, in sentences for the report."""
        isolation = "; ".join(self.place.isolation.layers)
        environments = [tree.environment for tree in (self.head, self.base)]
        notes = dict.fromkeys(note for each in environments if each for note in each.notes)
        return (f"isolation: {isolation}", *notes, *self.broker.describe(), *self.left_out)

    @contextmanager
    def patched(self, suggestion: Suggestion) -> Generator[Tree]:
        """A copy of head with the suggestion applied; gone afterwards."""
        with owned_folder("patched") as folder:
            root = folder / "tree"
            shutil.copytree(self.head.root, root, copy_function=link, symlinks=True)
            text = apply(self.head.texts[suggestion.path], suggestion)
            changed = root / suggestion.path
            changed.unlink()
            changed.write_text(text, encoding="utf-8", newline="")
            folder.chmod(0o755)
            texts = {**self.head.texts, suggestion.path: text}
            yield Tree(root, texts, self.head.environment)


def apply(source: str, suggestion: Suggestion) -> str:
    """The source with the suggestion's whole lines put in place."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", source)
    start, end = suggestion.start_line - 1, suggestion.end_line
    newline = "\r\n" if lines[start].endswith("\r\n") else "\n"
    replacement = suggestion.replacement.split("\n")
    return "".join([*lines[:start], *(line + newline for line in replacement), *lines[end:]])
