"""Context of runs: two trees, a workspace, the engines, the sources, the plan."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from os import link
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import ObservedCall, Suggestion, Target
from worker.broker.api_broker import Broker
from worker.environments.environment import OUR_OWN, Environment
from worker.environments.interpreters import developer_environment
from worker.environments.provision import Environments
from worker.executor.example_database import ExampleDatabase
from worker.sandbox.command_lines import gpu_devices, reachable_by_others
from worker.sandbox.guest_limits import GPU_ADDRESS_SPACE, Limits
from worker.sandbox.guest_process import GuestProcess, guest_program
from worker.sandbox.guest_spawn import LaunchPlan
from worker.sandbox.isolation import TRUSTED, Isolation, find_isolation
from worker.sandbox.warm_sandbox import ForkedGuest, Guest
from worker.sandbox.warm_sandboxes import LoadedFile, WarmSandboxes
from worker.settings.operator_settings import SandboxSettings, Settings
from worker.sources.source_selection import Sources
from worker.system.temporary_files import owned_folder
from worker.system.tracing import phase

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GuestRuntime:
    """The conditions under which guests run: the isolation, the interpreter, the limits.

    ``hidden`` are packages that the interpreter has and the project has not; ``layer`` holds the
    guest's own needs; ``retry`` multiplies the limits of what is tried again after meeting one;
    ``devices`` are files of a GPU that guests may use;
    ``warm`` are sandboxes that guests can be forked in, for ``parallel`` targets at a time.
    No guest is asked after ``until``, a time of ``time.monotonic``.
    """

    isolation: Isolation
    python: Path
    limits: Limits
    hidden: tuple[str, ...] = ()
    layer: Path | None = None
    devices: tuple[Path, ...] = ()
    retry: float = 2.0
    until: float = inf
    warm: WarmSandboxes | None = None
    parallel: int = 1

    def guest(self, tree: Path, modules: Collection[str] | None = None) -> Guest:
        """Start a guest on a tree; with ``modules`` it may be forked where they are imported.

        Raises ``MachineError`` where it does not start.
        """
        plan = self.launch_plan(tree)
        if self.warm is None:
            return GuestProcess(plan)
        return self.warm.guest(plan, modules, self.until)

    def kept_guest(self, tree: Path, loaded: LoadedFile) -> ForkedGuest | None:
        """Return a guest that was kept for a file of a tree, if there is one."""
        return None if self.warm is None else self.warm.kept_guest(self.launch_plan(tree), loaded)

    def launch_plan(self, tree: Path) -> LaunchPlan:
        """Return how guests on a tree are started."""
        return LaunchPlan(
            self.isolation,
            tree.resolve(),
            Path(self.python),
            self.limits,
            guest_program(),
            self.isolation.namespaces,
            self.layer,
            self.devices,
        )

    def of(self, environment: Environment | None) -> GuestRuntime:
        """The place with the interpreter and packages of an environment."""
        if environment is None:
            return self
        return replace(
            self,
            python=environment.python,
            hidden=environment.hidden,
            layer=environment.layer,
        )

    def with_devices(self, devices: tuple[Path, ...]) -> GuestRuntime:
        """Return the place for guests that may use the files of a GPU; the report names them."""
        named = f"GPU ({', '.join(device.name for device in devices)})"
        return replace(
            self,
            isolation=replace(self.isolation, layers=(*self.isolation.layers, named)),
            limits=replace(self.limits, address_space=GPU_ADDRESS_SPACE),
            devices=devices,
        )

    def with_more(self) -> GuestRuntime:
        """Return the place for what met a limit: memory, time and processes are multiplied."""
        return replace(self, limits=self.limits.times(self.retry))


def guest_runtime(settings: Settings, *, trust: bool) -> GuestRuntime:
    """Return isolation (none with ``trust``), interpreter and limits; raise ``MachineError``."""
    sandbox = settings.sandbox
    isolation = (
        TRUSTED
        if trust
        else find_isolation(sandbox.uids, choice=sandbox.isolation, python=sandbox.python)
    )
    python = sandbox.python
    hidden = OUR_OWN if python == Path(sys.executable) else ()
    devices = gpu_devices() if sandbox.gpu == "auto" and isolation.isolated else ()
    place = GuestRuntime(isolation, python, _limits(sandbox), hidden, retry=sandbox.retry)
    return place.with_devices(devices) if devices else place


def _limits(sandbox: SandboxSettings) -> Limits:
    return Limits(
        memory=int(sandbox.memory),
        processes=sandbox.processes,
        wall_seconds=sandbox.seconds,
        scratch=int(sandbox.scratch),
        processors=sandbox.processors,
    )


@dataclass(frozen=True, slots=True)
class SourceTree:
    """One revision's files on disk, their texts by path, what they run in."""

    root: Path
    texts: Mapping[str, str]
    environment: Environment | None = None


class SharedResults:
    """Results that are made once for all targets, by name; who asks meanwhile waits for them."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._made: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what was made under a name; make it for the first who asks."""
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            made: T = self._made[name]
            return made


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """The sandbox, engines, sources and plan that runs share.

    ``examples`` failed before; ``observed`` holds calls in tests, ``recorded`` those of the
    project's own programs on base by function, ``tested`` outcomes of tests; ``targets`` are
    those of the change.
    """

    place: GuestRuntime
    broker: Broker
    sources: Sources
    plan: ExaminationPlan
    head: SourceTree
    base: SourceTree
    left_out: tuple[str, ...] = ()
    examples: ExampleDatabase = field(default_factory=ExampleDatabase)
    observed: dict[tuple[str, frozenset[str]], Sequence[ObservedCall]] = field(
        default_factory=dict[tuple[str, frozenset[str]], Sequence[ObservedCall]]
    )

    recorded: dict[str, list[ObservedCall]] = field(default_factory=dict[str, list[ObservedCall]])
    tested: dict[tuple[str, ...], dict[str, bool]] = field(
        default_factory=dict[tuple[str, ...], dict[str, bool]]
    )
    targets: tuple[Target, ...] = ()
    shared: SharedResults = field(default_factory=SharedResults)

    def ending(self, until: float) -> ExecutionContext:
        """Return the context for guests that are asked nothing after ``until``."""
        return replace(self, place=replace(self.place, until=until))

    def place_of(self, tree: SourceTree) -> GuestRuntime:
        """Return where the code of a tree runs."""
        return self.place.of(tree.environment)

    def stop(self) -> None:
        """End all guests, from another thread, and let none begin."""
        if self.place.warm is not None:
            self.place.warm.stop()

    def describe(self) -> tuple[str, ...]:
        """Return what runs are made with, in sentences for the report."""
        isolation = "; ".join(self.place.isolation.layers)
        environments = [tree.environment for tree in (self.head, self.base)]
        notes = dict.fromkeys(note for each in environments if each for note in each.notes)
        forks = () if self.place.warm is None else self.place.warm.notes
        return (f"isolation: {isolation}", *forks, *notes, *self.broker.describe(), *self.left_out)

    @contextmanager
    def patched(self, suggestion: Suggestion) -> Generator[SourceTree]:
        """A copy of head with the suggestion applied; gone afterwards."""
        with owned_folder("patched") as folder:
            root = folder / "tree"
            shutil.copytree(self.head.root, root, copy_function=link, symlinks=True)
            text = apply_suggestion(self.head.texts[suggestion.path], suggestion)
            changed = root / suggestion.path
            changed.unlink()
            changed.write_text(text, encoding="utf-8", newline="")
            folder.chmod(0o755)
            texts = {**self.head.texts, suggestion.path: text}
            yield SourceTree(root, texts, self.head.environment)


def apply_suggestion(source: str, suggestion: Suggestion) -> str:
    """The source with the suggestion's whole lines put in place."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", source)
    start, end = suggestion.start_line - 1, suggestion.end_line
    newline = "\r\n" if lines[start].endswith("\r\n") else "\n"
    replacement = suggestion.replacement.split("\n")
    return "".join([*lines[:start], *(line + newline for line in replacement), *lines[end:]])


@contextmanager
def with_environments(
    laboratory: ExecutionContext,
    settings: Settings,
    paths: Sequence[str],
    tell: Callable[[str], None],
    *,
    offline: bool,
    checkout: Path | None = None,
) -> Generator[ExecutionContext]:
    """Yield the context with the environments that the trees declare, or that ``checkout`` has."""
    own = None if checkout is None else developer_environment(checkout)
    with Environments(
        settings.environments,
        settings.sandbox.python,
        tell,
        offline=offline,
        obstacle=folder_obstacle(laboratory.place.isolation, settings.environments.folder),
        isolation=laboratory.place.isolation,
    ) as environments:
        old = laboratory.base.root if laboratory.base.texts else None
        with phase("environment"):
            head, base = environments.of_trees(laboratory.head.root, old, paths, own)
        yield replace(
            laboratory,
            head=replace(laboratory.head, environment=head),
            base=replace(laboratory.base, environment=base),
        )


def folder_obstacle(isolation: Isolation, folder: Path) -> str:
    """Return why guests cannot use a folder: without mounts it must be open to their uid."""
    mounted = isolation.namespaces or not isolation.isolated or isolation.uids is None
    if mounted or reachable_by_others(folder):
        return ""
    return f"the sandbox's user cannot reach {folder}: set [environments] folder"
