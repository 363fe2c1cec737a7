"""Loads a target as its project does, and makes it callable."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import sys
import tempfile
from collections import deque
from pathlib import Path, PurePath
from types import ModuleType
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from ..clients.given_clients import GivenClients
from ..inputs import external_inputs, project_files
from ..models.keras import serialized_model
from ..network.network import Network
from ..protocol import api_calls
from . import assumptions, name_lookup, standins, time_limits
from .call_outcomes import is_own
from .execution import Callee, PreparedTarget
from .framework_setup import choose_backend, use_one_torch_thread
from .import_hooks import Interception
from .project_imports import SHADOWED, ProjectFinder, ProjectLoader, Sources, compiled
from .time_limits import CLOCK

SHOWN = 1000
_OTHERS = ("env", "node_modules", "site-packages", "venv")


def enter_work_folder(root: Path, own: Path) -> None:
    """Work in a folder that shows the project's files and can be written to."""
    place = Path(tempfile.mkdtemp(prefix="work-"))
    for folder in (root, own):
        _show(folder, place)
    os.chdir(place)
    project_files.work_in(str(place))


def _show(folder: Path, place: Path) -> None:
    """Show a folder's files as links, in folders that can be written to.

    Folders are made anew, those near the top first; behind ``SHOWN`` entries, and
    where others' code lies, they are links themselves.  A place inside the folder does not
    show itself.
    """
    left = SHOWN
    waiting = deque([(folder, place)])
    while waiting:
        shown, at = waiting.popleft()
        for entry in shown.iterdir():
            if entry == place:
                continue
            left -= 1
            link = at / entry.name
            if left > 0 and _is_own(entry) and not link.is_symlink():
                link.mkdir(exist_ok=True)
                waiting.append((entry, link))
            elif not os.path.lexists(link):
                link.symlink_to(entry)


def _is_own(entry: Path) -> bool:
    named = not entry.name.startswith(".") and entry.name not in _OTHERS
    folder = named and entry.is_dir() and not entry.is_symlink()
    return folder and os.access(entry, os.R_OK | os.X_OK)


SECONDS = 45.0
_MODULE_LEVEL = ("<module>", "__main__")


def _around(root: str, path: str) -> Iterator[str]:
    """Yield the folders around a file, from which a program may be started, the nearest first."""
    yield from (str(Path(root, folder)) for folder in PurePath(path).parents)


class Unprepared(Exception):  # noqa: N818 - a fact about the target, not an error of ours
    """The target cannot be called; says why."""


class LoadedProject:
    """The project around a file, loaded once for targets of this file, one after the other."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        """Take the first ``prepare`` frame; raises :class:`Unprepared`."""
        root = str(Path(message["root"]).absolute())
        self._path = path = message["path"]
        self._sources = sources = Sources(root)
        named = [path, *message.get("files", ()), *message.get("beside", ())]
        failed = sources.instrument(list(dict.fromkeys(named)))
        if path in failed:
            raise Unprepared(f"{path} {failed[path]}")
        self._entries: List[Mapping[str, Any]] = list(message.get("catalogue") or ())
        self._schemas = message.get("schemas") or {}
        folders = _folders(root, path)
        beside = [folder for folder in _around(root, path) if folder not in folders]
        self._finder = ProjectFinder(sources, folders, time_limits.now() + SECONDS, beside)
        self._finder.notes += [f"{file} {reason}" for file, reason in failed.items()]
        _enter(root, path, folders)
        self._network = Network(self._entries, message.get("network"))
        self._network.enter()
        about = (root, self._entries, self._schemas, message.get("hidden") or ())
        self._interception = Interception(*about, self._network)
        self._interception.install(sources.texts)
        sys.meta_path.insert(1, self._finder)
        self._module: Optional[ModuleType] = None

    def prepare(self, message: Mapping[str, Any]) -> PreparedTarget:
        """Find the target of a ``prepare`` frame; raises :class:`Unprepared`."""
        finder, sources, interception = self._finder, self._sources, self._interception
        named = frozenset(message.get("expected") or ())
        expected = [entry for entry in self._entries if entry["name"] in named]
        finder.until(time_limits.now() + SECONDS)
        api_calls.set_supplier(api_calls.EmptyAnswers())
        with external_inputs.typed_text("1"):
            loaded = self._loaded(message["function"])
        use_one_torch_thread()
        serialized_model.record_constructor_arguments()
        external_inputs.settle_django()
        finder.notes += [note for note in self._network.loaded() if note not in finder.notes]
        interception.warm(expected)
        clients = GivenClients(expected, lambda wanted: interception.missing(wanted)(wanted))
        standins.client_method = clients.method
        own = {self._path, *message.get("files", ())}
        return PreparedTarget(
            root=sources.root,
            path=self._path,
            name=message["function"],
            function=loaded.function,
            parameters=loaded.parameters,
            points=sources.points,
            recorder=sources.recorder,
            sources={path: text for path, text in sources.texts.items() if path in own},
            standins=standins.names,
            notes=finder.notes,
            entries=self._entries,
            expected=expected,
            schemas=self._schemas,
            namespace=loaded.namespace,
            method=loaded.method,
            guarded=loaded.guarded,
        )

    def _loaded(self, name: str) -> _Loaded:
        full = str(Path(self._sources.root, self._path))
        if name in _MODULE_LEVEL:
            return _Loaded(ModuleRun(self._finder, full, name).callable, [], {})
        try:
            if self._module is None:
                with CLOCK.limited(SECONDS):
                    self._module = _import(self._finder, self._path)
            return _found(self._module, name, full, self._sources)
        except name_lookup.Unfound as unfound:
            reason = f"{unfound}{_because(self._finder, self._path)}"
            raise Unprepared(reason) from unfound
        except BaseException as error:
            raise Unprepared(f"{self._path} cannot be loaded: {error!r}"[:500]) from error


class _Loaded(NamedTuple):
    function: Callable[[], Callable[..., Any]]
    parameters: List[Dict[str, Any]]
    namespace: Mapping[str, Any]
    method: Optional[Callable[[Any], Callable[..., Any]]] = None
    guarded: Optional[Callee] = None


def _found(module: ModuleType, name: str, full: str, sources: Sources) -> _Loaded:
    function, owner = name_lookup.find(vars(module), name, full)
    parameters = name_lookup.parameters(function, owner, sources.text_of)
    made, method = name_lookup.callable_of(function, owner), name_lookup.method_of(function, owner)
    around = name_lookup.guarded(vars(module), name, function)
    guarded = name_lookup.callable_of(around, owner), name_lookup.method_of(around, owner)
    return _Loaded(made, parameters, vars(module), method, guarded)


def _because(project: ProjectFinder, path: str) -> str:
    notes = [note for note in project.notes if note.startswith(f"{path}:")]
    return f" ({'; '.join(notes[:3])})" if notes else ""


# ----------------------------------------------------------------- imports


def _package(root: str, path: str) -> Tuple[str, str]:
    """The folder from which a file is imported, and its dotted name."""
    file = Path(root, path)
    folder = file.parent
    parts = [] if file.name == "__init__.py" else [file.stem]
    while (folder / "__init__.py").exists() and str(folder) != root:
        parts.insert(0, folder.name)
        folder = folder.parent
    return str(folder), ".".join(parts) or "__init__"


def _folders(root: str, path: str) -> List[str]:
    """Return the folders whose modules come before libraries.

    What lies beside a module of a package is its own whole name (``package.numpy``) first.
    """
    own = Path(root, path).parent
    alone = [] if (own / "__init__.py").exists() else [str(own)]
    wanted = [_package(root, path)[0], root, str(Path(root, "src")), *alone]
    return [
        folder
        for folder in dict.fromkeys(wanted)
        if Path(folder).is_dir() and not _shadows(Path(folder))
    ]


def _shadows(folder: Path) -> bool:
    return any((folder / f"{name}.py").exists() for name in SHADOWED)


def _import(project: ProjectFinder, path: str) -> ModuleType:
    root = project.sources.root
    full = str(Path(root, path))
    name = _package(root, path)[1]
    if "." not in name and _is_relative(project, path):
        name = path.rpartition(".")[0].replace("/", ".")
    if path.endswith(".py") and name not in SHADOWED:
        try:
            module = importlib.import_module(name)
        except ImportError:
            module = ModuleType(name)
        if getattr(module, "__file__", None) == full:
            return module
    if name in SHADOWED or name.partition(".")[0] in sys.modules:
        name = "_target_" + name.replace(".", "_")
    return _load(project, full, name)


def _load(project: ProjectFinder, full: str, name: str) -> ModuleType:
    loader = ProjectLoader(project, full)
    spec = importlib.util.spec_from_file_location(name, full, loader=loader)
    if spec is None:
        raise Unprepared(f"{full} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def _is_relative(project: ProjectFinder, path: str) -> bool:
    statements = project.sources.statements(path)[0]
    return any(isinstance(s, ast.ImportFrom) and s.level > 0 for s in statements)


class ModuleRun:
    """Runs a file's top level anew for each input, with its imports done once."""

    def __init__(self, project: ProjectFinder, full: str, name: str) -> None:
        self._project = project
        self._full = full
        root = project.sources.root
        own = _package(root, project.sources.relative(full))[1]
        self._name = name if name == "__main__" else own
        statements, flags = project.sources.statements(project.sources.relative(full))
        self._flags = flags
        self._parts = [(s, compiled(s, full, flags)) for s in statements]
        warm = self._namespace()
        for statement, _ in self._parts:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                project.attempt(statement, full, flags, warm)

    def callable(self) -> Callable[[], None]:
        """The run of one input."""
        return self._run

    def _namespace(self) -> Dict[str, Any]:
        from ..instrumentation.goals import RECORD

        return {
            "__name__": self._name,
            "__file__": self._full,
            "__builtins__": __builtins__,
            RECORD: self._project.sources.recorder,
        }

    def _run(self) -> None:
        namespace = self._namespace()
        for statement, code in self._parts:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._bind(statement, code, namespace)
            else:
                exec(code, namespace)

    def _bind(self, statement: ast.stmt, code: Any, namespace: Dict[str, Any]) -> None:
        try:
            exec(code, namespace)
        except ImportError:
            self._project.attempt(statement, self._full, self._flags, namespace)


# ------------------------------------------------------------- environment


def _enter(root: str, path: str, folders: Sequence[str]) -> None:
    """Make the process look to the project as on its own machine."""
    first = next((at for at, entry in enumerate(sys.path) if "-packages" in entry), None)
    at = len(sys.path) if first is None else first
    sys.path[at:at] = [folder for folder in folders if folder not in sys.path]
    sys.argv = [str(Path(root, path))]
    sys.dont_write_bytecode = True
    choose_backend()
    project_files.intercept_opening(root)
    project_files.watch_writing(root)
    _Environment.root = root
    os.environ.__class__ = _Environment
    enter_work_folder(Path(root), Path(root, path).parent)


class _Environment(type(os.environ)):  # type: ignore[misc]
    """An environment in which the project finds every variable it insists on."""

    root = ""

    def __getitem__(self, key: Any) -> Any:
        try:
            return super().__getitem__(key)
        except KeyError:
            frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
            if not is_own(frame.f_code.co_filename, self.root):
                raise
            return standins.made_up_variable(f"os.environ[{key!r}]", str(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the variable; without a default one that code needs is made up."""
        found = super().get(key, default)
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        if frame.f_code is os.getenv.__code__ and frame.f_back is not None:
            frame = frame.f_back
        needed = found is None and isinstance(key, str) and assumptions.is_needed(key)
        if not (needed and is_own(frame.f_code.co_filename, self.root)):
            return found
        return standins.made_up_variable(f"os.environ[{key!r}]", key)
