"""Which names a recipe may use: those that the tested file's text binds.

A recipe ends up in a test that people run.  So it may call what the project
itself defines, and name what else its file has imported, but not call it, nor
have a configuration call it: a file that imports ``os`` lends nobody
``os.system``, and neither does one that imports a file which does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.guest.generation.makers import MAKERS
from analyzers.guest.generation.recipes import BadRecipe, Call, Name, Recipe, parse, parts
from analyzers.vocabulary import Argument, Explored, Made, Probe
from worker.laboratory.bindings import Bindings, Project

MOST_STEPS = 8
_CALLS = "config"
_HARMLESS = frozenset(
    {
        *("abc", "argparse", "collections", "dataclasses", "datetime", "decimal", "enum"),
        *("fractions", "math", "numbers", "operator", "pathlib", "string", "types", "typing"),
    }
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a name leads: to something of the project, or of a ``module`` from elsewhere.

    ``beyond`` is how many parts of the dotted name come after it; ``calls``
    how many of these a call may have.
    """

    beyond: int
    calls: int = -1
    module: str = ""


class Names:
    """The names that a file of the project binds at its top level.

    ``texts`` are the texts of the project's files by path.
    """

    def __init__(self, path: str, texts: Mapping[str, str]) -> None:
        self._path = path
        self._project = Project(texts)

    def knows(self, probe: Probe) -> bool:
        """Whether the recipes of a probe use no other names."""
        return all(map(self._knows, probe.arguments.values()))

    def known(self, explored: Explored) -> Explored:
        """What was explored, without the inputs that use other names."""
        return replace(
            explored,
            failures=tuple(each for each in explored.failures if self.knows(each.probe)),
            passing=tuple(probe for probe in explored.passing if self.knows(probe)),
        )

    def _knows(self, argument: Argument) -> bool:
        if not isinstance(argument, Made):
            return True
        try:
            return all(map(self._allows, parts(parse(argument.recipe))))
        except BadRecipe:
            return False

    def _allows(self, part: Recipe) -> bool:
        if isinstance(part, Name):
            return self._may_name(part.dotted)
        if not isinstance(part, Call):
            return True
        if part.function == _CALLS:
            given = [*part.arguments[:1], *(value for name, value in part.keywords if name == "of")]
            return all(self._may_call(each.dotted) for each in given if isinstance(each, Name))
        return part.function in MAKERS or self._may_call(part.function)

    def _may_name(self, dotted: str) -> bool:
        """Whether something is bound, and by no module that acts on the machine."""
        found = self._origins(self._path, dotted.split("."))
        return bool(found) and all(_is_harmless(each.module) for each in found)

    def _may_call(self, dotted: str) -> bool:
        """Whether something is the project's own, whichever way it came to be bound."""
        found = self._origins(self._path, dotted.split("."))
        own = any(each.beyond <= each.calls for each in found)
        return own and not any(each.module for each in found)

    def _origins(self, path: str, parts: Sequence[str], steps: int = MOST_STEPS) -> list[Origin]:
        """All that a dotted name of a file may lead to."""
        if not parts or steps <= 0:
            return []
        name, *rest = parts
        bound = self._project.of(path)
        found = list(_own(bound, name, len(rest)))
        if name in bound.modules:
            found += self._of_module(bound.modules[name], rest, steps - 1)
        if name in bound.taken:
            found += self._of_taken(*bound.taken[name], rest, steps - 1)
        if not found:
            ours = filter(None, map(self._project.path, bound.stars))
            found = [each for star in ours for each in self._origins(star, parts, steps - 1)]
        return found

    def _of_module(self, module: str, rest: Sequence[str], steps: int) -> list[Origin]:
        """What comes after the name of a module; the longest name that is a module counts."""
        for count in range(len(rest), -1, -1):
            path = self._project.path(".".join([module, *rest[:count]]))
            if path is not None:
                behind = rest[count:]
                return self._origins(path, behind, steps) if behind else [Origin(0)]
        return [Origin(len(rest), module=module)]

    def _of_taken(self, module: str, name: str, rest: Sequence[str], steps: int) -> list[Origin]:
        """What is imported from a module: a module in it, or what is bound there."""
        if self._project.path(f"{module}.{name}") is not None:
            return self._of_module(f"{module}.{name}", rest, steps)
        path = self._project.path(module)
        if path is None:
            return [Origin(len(rest), module=module)]
        return self._origins(path, [name, *rest], steps)


def _own(bound: Bindings, name: str, beyond: int) -> Iterator[Origin]:
    if name in bound.functions:
        yield Origin(beyond, calls=0)
    if name in bound.classes | bound.made:
        yield Origin(beyond, calls=1)
    if name in bound.values:
        yield Origin(beyond)


def _is_harmless(module: str) -> bool:
    """Whether a module has nothing that would do harm if the project's code called it."""
    first = module.partition(".")[0]
    return first not in sys.stdlib_module_names or first in _HARMLESS
