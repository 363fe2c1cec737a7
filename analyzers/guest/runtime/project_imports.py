"""Import the project's modules statement by statement; a failing one binds stand-ins."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ..instrumentation.goals import RECORD, instrument
from ..instrumentation.recorder import Recorder
from . import call_outcomes, replaced_libraries, standins, time_limits
from .call_outcomes import is_own
from .notebook_source import code_of
from .time_limits import CLOCK


def _why_unread(error: Exception) -> str:
    """Return why a file is not instrumented, after its name."""
    reason = f"{type(error).__name__}: {error}"
    if not isinstance(error, SyntaxError):
        return f"cannot be read: {reason}"
    runs = ".".join(map(str, sys.version_info[:2]))
    return f"is not read by Python {runs}, which runs the code here: {reason}"


class Sources:
    """Texts by path (relative to ``root``, with slashes), and ``points`` of instrumented files."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.recorder = Recorder()
        self.points: List[str] = []
        self.texts: Dict[str, str] = {}
        self._instrumented: Dict[str, ast.Module] = {}

    def instrument(self, paths: Sequence[str]) -> Dict[str, str]:
        """Prepare files for recording; what could not be, with the reason."""
        failed: Dict[str, str] = {}
        for path in paths:
            try:
                text = self.text(path)
                tree, points = instrument(text, path, RECORD, len(self.points))
            except (OSError, SyntaxError, ValueError, RecursionError) as error:
                failed[path] = _why_unread(error)
                continue
            self.texts[path] = text
            self.points += points
            self._instrumented[path] = tree
        return failed

    def text(self, path: str) -> str:
        """The code of a file; raises ``OSError``, ``SyntaxError``, ``ValueError``."""
        full = Path(self.root, path)
        content = full.read_bytes()
        text = importlib.util.decode_source(content).lstrip("\ufeff")
        text = code_of(text) if path.endswith(".ipynb") else text
        call_outcomes.remember(str(full), text)
        return text

    def text_of(self, full: str) -> str:
        """The text of an instrumented file, by its whole path."""
        return self.texts.get(self.relative(full), "")

    def statements(self, path: str) -> Tuple[List[ast.stmt], int]:
        """The top-level statements of a file and its compiler flags."""
        tree = self._instrumented.get(path) or ast.parse(self.text(path))
        return tree.body, compiler_flags(tree)

    def relative(self, full: str) -> str:
        """A file's path relative to the root, with slashes."""
        return os.path.relpath(full, self.root).replace(os.sep, "/")


def compiler_flags(tree: ast.Module) -> int:
    """Return the compiler's flags for what a file imports from ``__future__``."""
    import __future__

    flags = 0
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return flags


IMPORT_SECONDS = 25.0
STATEMENT_SECONDS = 5.0
MOST_NOTES = 50
SHADOWED = ("google", "azure", "boto3", "openai", "requests")


def _stdlib() -> Any:
    known = getattr(sys, "stdlib_module_names", None)
    if known is not None:
        return known
    return {entry.stem for entry in Path(os.__file__).parent.iterdir()}


class ProjectFinder(MetaPathFinder):
    """Finds the project's modules in ``folders`` before those of others, ``beside`` after."""

    def __init__(
        self,
        sources: Sources,
        folders: Sequence[str],
        deadline: float,
        beside: Sequence[str] = (),
    ) -> None:
        self.sources = sources
        self.notes: List[str] = []
        self._folders = list(folders)
        self._beside = list(beside)
        self._deadline = deadline
        self._stdlib = _stdlib()

    def until(self, deadline: float) -> None:
        """Let what is imported from now on take until another time of work."""
        self._deadline = deadline

    def find_spec(
        self,
        fullname: str,
        path: Optional[Sequence[str]],
        target: Optional[ModuleType] = None,
    ) -> Optional[ModuleSpec]:
        """The spec of a module that lies in the project as a Python file."""
        if path is None and (fullname in self._stdlib or fullname in SHADOWED):
            return None
        where = [*self._folders, *self._added()] if path is None else path
        spec = PathFinder.find_spec(fullname, where, target)
        if spec is None and path is None and PathFinder.find_spec(fullname) is None:
            spec = PathFinder.find_spec(fullname, self._beside, target)
            if spec is not None and spec.loader is None:
                return spec
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            return None
        if not is_own(spec.origin, self.sources.root):
            return None
        spec.loader = ProjectLoader(self, spec.origin)
        return spec

    def _added(self) -> Iterator[str]:
        """Yield the project's folders that its code has put on the path, relative ones too."""
        for entry in list(sys.path):
            if entry and not Path(entry).is_absolute():
                yield from (os.path.normpath(Path(folder, entry)) for folder in self._folders)

    def run(self, full: str, namespace: Dict[str, Any]) -> None:
        """Run a file's statements; note those that fail."""
        path = self.sources.relative(full)
        statements, flags = self.sources.statements(path)
        namespace[RECORD] = self.sources.recorder
        if statements and isinstance(statements[0], ast.Expr):
            namespace.setdefault("__doc__", ast.get_docstring(ast.Module(statements, [])))
        for statement in statements:
            self.attempt(statement, full, flags, namespace)

    def attempt(
        self, statement: ast.stmt, full: str, flags: int, namespace: Dict[str, Any]
    ) -> None:
        """Run one statement; where it fails, stand in for what it binds."""
        before = {name: namespace.get(name) for name in bound(statement)}
        try:
            with CLOCK.limited(self._seconds(statement)):
                exec(compiled(statement, full, flags), namespace)
        except BaseException as error:
            self._note(full, statement, error)
            if _undecorated(statement):
                self.attempt(statement, full, flags, namespace)
                return
            for name, value in before.items():
                if namespace.get(name) is value:
                    namespace[name] = self._standin(statement, name)

    def _standin(self, statement: ast.stmt, name: str) -> Any:
        """Return what stands for a name that a failing statement would have bound."""
        full, library = name, ""
        if isinstance(statement, ast.ImportFrom):
            full = f"{statement.module or '.'}.{name}"
            standins.note(full)
            library = "" if statement.level else statement.module or ""
        elif isinstance(statement, ast.Import):
            aliases = statement.names
            found = (x.name for x in aliases if name in (x.asname, x.name.partition(".")[0]))
            full = library = next(found, name)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            replaced_libraries.note(name)
        top = library.partition(".")[0]
        if library and PathFinder.find_spec(top, self._folders) is None:
            # one name of a library that is there, or the whole of one that is not
            replaced_libraries.note(full if top in sys.modules else top)
        return standins.attribute(full)

    def _seconds(self, statement: ast.stmt) -> float:
        importing = isinstance(statement, (ast.Import, ast.ImportFrom))
        most = IMPORT_SECONDS if importing else STATEMENT_SECONDS
        return max(0.05, min(most, self._deadline - time_limits.now()))

    def _note(self, full: str, statement: ast.stmt, error: BaseException) -> None:
        if len(self.notes) < MOST_NOTES:
            where = f"{self.sources.relative(full)}:{statement.lineno}"
            said = str(error).split("\n")[0][:200]
            self.notes.append(f"{where}: {type(error).__name__}: {said}".rstrip(": "))


class ProjectLoader(Loader):
    """Loads one file of the project."""

    def __init__(self, project: ProjectFinder, full: str) -> None:
        self._project = project
        self._full = full

    def create_module(self, spec: ModuleSpec) -> None:
        """Make an ordinary module."""
        del spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the module; raises ``SyntaxError`` where it cannot be parsed."""
        self._project.run(self._full, module.__dict__)

    def get_source(self, name: str) -> str:
        """The module's text."""
        del name
        return self._project.sources.text(self._project.sources.relative(self._full))


def compiled(statement: ast.stmt, full: str, flags: int) -> CodeType:
    """One statement as code."""
    module = ast.Module(body=[statement], type_ignores=[])
    code: CodeType = compile(module, full, "exec", flags=flags, dont_inherit=True)
    return code


def bound(statement: ast.AST) -> Iterator[str]:
    """The names that a statement binds in its own scope."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            if alias.name != "*":
                yield alias.asname or alias.name.partition(".")[0]
        return
    if isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
        yield statement.id
    if isinstance(statement, ast.ExceptHandler) and statement.name:
        yield statement.name
    if isinstance(statement, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)):
        return
    for child in ast.iter_child_nodes(statement):
        yield from bound(child)


def _undecorated(statement: ast.stmt) -> bool:
    """Take a definition's decorators away; whether it had any."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if not isinstance(statement, kinds) or not statement.decorator_list:
        return False
    statement.decorator_list = []
    return True
