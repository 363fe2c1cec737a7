"""From a package's name to a wheel of it, built in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from worker.environments.declarations import Declaration, Target, read_requirement
from worker.environments.sources.archive import read_build_system
from worker.environments.sources.index import SimpleIndex
from worker.environments.sources.nouns import BuildSystem, NotBuilt, Sdist, Sourced, Wheel
from worker.environments.sources.sandbox import Bench, Built, Requires
from worker.environments.sources.wheel import checked_wheel
from worker.temporary import owned_folder

Lend = Callable[[Declaration], AbstractContextManager[Path]]


class Sources:
    """Builds wheels for one version of Python.

    ``lend`` gives the interpreter of an environment that holds what a build
    requires, from wheels alone.
    """

    def __init__(self, index: SimpleIndex, bench: Bench, python: str, lend: Lend) -> None:
        self._index = index
        self._bench = bench
        self._python = python
        self._lend = lend

    def build(self, wanted: Sourced, folder: Path) -> Wheel:
        """Build the newest version that will do, and put its wheel into a folder.

        Raises ``NotBuilt``, or ``Unreachable`` where it cannot be tried to the end.
        """
        sdist = self._index.find(wanted, self._python)
        with owned_folder("source") as work:
            tree = work / "tree"
            tree.mkdir()
            self._index.download(sdist, tree / "source.tar.gz")
            system = read_build_system(tree / "source.tar.gz")
            built = self._built(tree, system, sdist)
        return checked_wheel(built, sdist, self._python, folder)

    def _built(self, tree: Path, system: BuildSystem, sdist: Sdist) -> Built:
        """Build; what the backend asks for is installed outside, and once."""
        reply = self._tried(tree, system, system.requires, sdist)
        if isinstance(reply, Requires):
            requires = (*system.requires, *reply.requirements)
            reply = self._tried(tree, system, requires, sdist, dynamic=False)
        if isinstance(reply, Requires):
            raise NotBuilt("its build asks for packages again and again")
        return reply

    def _tried(
        self,
        tree: Path,
        system: BuildSystem,
        requires: Sequence[str],
        sdist: Sdist,
        *,
        dynamic: bool = True,
    ) -> Requires | Built:
        declaration = Declaration([f"what the build of {sdist.name} {sdist.version} needs"])
        for text in requires:
            read_requirement(declaration, text, "", Target(self._python))
        for left_out in declaration.left_out:
            raise NotBuilt(f"its build needs {left_out}")
        with self._lend(declaration) as python:
            return self._bench.run(tree, python, system, dynamic=dynamic)
