"""Provision of the environment that a tree's code runs in."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Self

from packaging.specifiers import SpecifierSet

from worker.environments.declarations.declaration import Declaration, TargetPython
from worker.environments.declarations.declaration_reader import declared_python, read_declaration
from worker.environments.declarations.tree_files import TreeFiles, Unreadable
from worker.environments.environment import (
    UNDECLARED,
    Environment,
    InstalledContents,
    contents_of,
    joined_names,
    shared_environment,
)
from worker.environments.folder_cache import CacheLease
from worker.environments.installer import WHEELS_ALONE, Installer, ReportProgress
from worker.environments.interpreters import (
    OLDEST,
    DeveloperEnvironment,
    Interpreter,
    InterpreterChoice,
    choose,
    is_ours,
)
from worker.environments.lent_packages import (
    NEEDED,
    PACKAGES,
    copy_layer,
    lacking,
    layer_declaration,
)
from worker.environments.uv import Unreachable
from worker.sandbox.isolation import Isolation
from worker.settings.operator_settings import EnvironmentSettings
from worker.system.newer_syntax import needed_python

OFFLINE = "offline, and it was not installed before: run once without --offline"


class Environments:
    """Environments for trees; a context manager, in use until it ends.

    ``python`` is the operator's interpreter; ``offline`` takes what is there; an ``obstacle`` is
    why none can be used.  Sources are built in ``isolation`` alone.
    """

    def __init__(
        self,
        settings: EnvironmentSettings,
        python: Path,
        tell: ReportProgress,
        *,
        offline: bool,
        obstacle: str = "",
        isolation: Isolation | None = None,
    ) -> None:
        self._settings = settings
        self._python = python
        self._offline = offline
        self._obstacle = obstacle
        self._installer = Installer(settings, isolation, tell)
        self._held = ExitStack()
        self._declarations: dict[
            tuple[Path, tuple[str, ...]], tuple[InterpreterChoice, Declaration]
        ] = {}

    def __enter__(self) -> Self:
        """Use the environments until the block ends."""
        return self

    def __exit__(self, *error: object) -> None:
        """Let others remove them."""
        self._held.close()

    def of_trees(
        self,
        head: Path,
        base: Path | None,
        paths: Sequence[str],
        own: DeveloperEnvironment | None = None,
    ) -> tuple[Environment, Environment]:
        """Return the environments of head and base; ``own`` is the developer's in the checkout."""
        first = self.of_tree(head, paths, own)
        if base is None or self._content(head, paths) == self._content(base, paths):
            return first, first
        second = self.of_tree(base, paths)
        return first, replace(second, notes=tuple(f"base: {note}" for note in second.notes))

    def of_tree(
        self, root: Path, paths: Sequence[str], own: DeveloperEnvironment | None = None
    ) -> Environment:
        """Return the environment of one tree."""
        if self._python != Path(sys.executable):
            return Environment(
                self._python,
                notes=(f"environment: {self._python}, by [sandbox] python",),
                name=f"{self._python}, by [sandbox] python",
                remedy="install it there",
            )
        if own is not None and self._settings.install == "auto" and not self._obstacle:
            layer, notes = self._layer(own.interpreter)
            version = own.interpreter.version
            said = f"environment: {own.name} of the checkout, Python {version}"
            return Environment(
                own.interpreter.executable,
                layer,
                (),
                (said, *notes),
                name=f"{own.name} of the checkout",
                remedy="install it there",
            )
        choice, declaration = self._declaration(root, paths)
        if choice.note:
            declaration.note(choice.note)
        if not declaration.wanted:
            return shared_environment(*_nothing(declaration))
        return self._declared(choice.interpreter, declaration)

    def _content(self, root: Path, paths: Sequence[str]) -> list[str]:
        choice, declaration = self._declaration(root, paths)
        return [choice.interpreter.version, *declaration.lines(), *map(str, declaration.left_out)]

    def _declaration(
        self, root: Path, paths: Sequence[str]
    ) -> tuple[InterpreterChoice, Declaration]:
        key = root, tuple(paths)
        if key not in self._declarations:
            choice = _chosen(root, paths)
            target = TargetPython(choice.interpreter.version)
            self._declarations[key] = choice, read_declaration(root, paths, target)
        return self._declarations[key]

    def _declared(self, interpreter: Interpreter, declaration: Declaration) -> Environment:
        files = ", ".join(declaration.files)
        if self._obstacle or self._settings.install == "never":
            reason = self._obstacle or "installing is turned off in [environments]"
            return self._not_installed(declaration, reason)
        what = f"the project's environment ({files})"
        try:
            lease = self._with_development(interpreter, declaration, what)
            declaration = declaration if lease else replace(declaration, development=[])
            lease = lease or self._installed(interpreter, declaration, what)
        except (Unreachable, TimeoutError, OSError) as reason:
            return self._not_installed(declaration, str(reason))
        if lease is None:
            return self._not_installed(declaration, OFFLINE)
        contents = contents_of(lease.manifest())
        layer, notes = self._layer(interpreter)
        return Environment(
            lease.path / "bin" / "python",
            layer,
            (),
            (*_described(files, contents, declaration), *notes),
            absent={each.name: str(each) for each in (*contents.missing, *declaration.left_out)},
            remedy=UNDECLARED,
        )

    def _with_development(
        self, interpreter: Interpreter, declaration: Declaration, what: str
    ) -> CacheLease | None:
        """Return the environment with what tests use besides, if there is more and it is had."""
        if not declaration.development:
            return None
        wanted = [*declaration.wanted, *declaration.development]
        more = replace(declaration, wanted=wanted, development=[])
        try:
            return self._installed(interpreter, more, what)
        except (Unreachable, TimeoutError, OSError) as reason:
            names = ", ".join(each.name for each in declaration.development)
            declaration.note(f"environment: {names}, which tests use, left out ({reason})")
        return None

    def _not_installed(self, declaration: Declaration, reason: str) -> Environment:
        files = ", ".join(declaration.files)
        found = {each.name: str(each) for each in declaration.left_out}
        for wanted in declaration.wanted:
            try:
                ours = version(wanted.name)
            except PackageNotFoundError:
                found[wanted.name] = f"{wanted.text} ({reason})"
                continue
            if not SpecifierSet(wanted.specifier).contains(ours, prereleases=True):
                found[wanted.name] = f"{wanted.text} ({reason}; Assayer's own is {ours})"
        return shared_environment(
            f"environment: what {files} asks for is not installed ({reason}): "
            "Assayer's own packages and stand-ins take its place",
            *_notes(declaration),
            absent=found,
        )

    def _installed(
        self, interpreter: Interpreter, declaration: Declaration, what: str, why: str = ""
    ) -> CacheLease | None:
        lease = self._installer.installed(
            interpreter, declaration, what, offline=self._offline, why=why
        )
        if lease is not None:
            self._held.callback(lease.close)
        return lease

    def _layer(self, interpreter: Interpreter) -> tuple[Path | None, tuple[str, ...]]:
        try:
            if is_ours(interpreter):
                lease = self._installer.cache.made(
                    f"layer-{self._installer.key(interpreter, layer_declaration())}",
                    lambda folder: copy_layer(folder, interpreter),
                    self._settings.seconds,
                )
                self._held.callback(lease.close)
                return lease.path / PACKAGES, ()
            return self._foreign_layer(interpreter)
        except (Unreachable, TimeoutError, OSError) as reason:
            return None, _without(NEEDED, interpreter, str(reason))

    def _foreign_layer(self, interpreter: Interpreter) -> tuple[Path | None, tuple[str, ...]]:
        if self._settings.install == "never":
            return None, _without(NEEDED, interpreter, "nothing may be installed")
        declaration = layer_declaration(foreign=True)
        lease = self._installed(interpreter, declaration, "what the search needs", WHEELS_ALONE)
        if lease is None:
            return None, _without(NEEDED, interpreter, "offline")
        contents = contents_of(lease.manifest())
        absent = lacking(contents.packages, declaration.wanted)
        reasons = joined_names(tuple(each.reason for each in contents.missing)) or "no such wheel"
        notes = _without(absent, interpreter, reasons)
        if len(absent) == len(NEEDED):
            return None, notes
        return next(lease.path.glob("lib/python3*/site-packages")), notes


def _without(names: Iterable[str], interpreter: Interpreter, reason: str) -> tuple[str, ...]:
    end = f"cannot be had for Python {interpreter.version} ({reason})"
    return tuple(f"{NEEDED[name]}: {name} {end}" for name in names)


def _chosen(root: Path, paths: Sequence[str]) -> InterpreterChoice:
    """Return the interpreter that a tree declares, and that has the syntax of some of its files."""
    needed = max(filter(None, _needed(TreeFiles(root), paths)), default=OLDEST)
    return choose(declared_python(root, paths), needed)


def _needed(files: TreeFiles, paths: Sequence[str]) -> Iterator[tuple[int, int] | None]:
    for path in dict.fromkeys(paths):
        with suppress(Unreadable):
            yield needed_python(files.text(path)) if path.endswith(".py") else None


def _nothing(declaration: Declaration) -> Iterator[str]:
    yield (
        "environment: the project declares no packages that can be installed: "
        "Assayer's own and stand-ins take their place"
    )
    yield from _notes(declaration)


def _described(files: str, contents: InstalledContents, declaration: Declaration) -> Iterator[str]:
    count = len(contents.packages)
    plural = "" if count == 1 else "s"
    used = [each.name for each in declaration.development if each.name in contents.packages]
    more = f", with what its tests use: {joined_names(tuple(used))}" if used else ""
    yield f"environment: {files}, Python {contents.python}, {count} package{plural}{more}"
    if contents.replaced:
        exchanged = joined_names(contents.replaced)
        yield f"environment: no wheel of the version asked for, another is used: {exchanged}"
    if contents.built:
        yield f"environment: built from source in the sandbox: {joined_names(contents.built)}"
    missing = tuple(map(str, (*contents.missing, *declaration.left_out)))
    if missing:
        yield f"environment: not installed, stand-ins take their place: {joined_names(missing)}"
    yield from (f"environment: {note}" for note in declaration.notes)


def _notes(declaration: Declaration) -> Iterator[str]:
    if declaration.left_out:
        names = joined_names(tuple(map(str, declaration.left_out)))
        yield f"environment: not installed, stand-ins take their place: {names}"
    yield from (f"environment: {note}" for note in declaration.notes)
