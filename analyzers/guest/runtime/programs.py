"""Programs that use the project, run statement by statement in the place of a call."""

from __future__ import annotations

import ast
import contextlib
import sys
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..inputs import project_files
from . import call_outcomes, framework_setup
from .project_imports import compiler_flags
from .time_limits import CLOCK

if TYPE_CHECKING:
    from ..inputs.observed_calls import CallRecorder

FILENAME = "<program>"
MOST_LINES = 5000
MOST_VARIABLES = 40
MOST_ATTRIBUTES = 20
CLOCK.never_interrupt(__file__)


class ProgramRun:
    """A run of one program: its variables, the statements that ended, the lines that ran.

    ``watched`` are the files below ``root`` whose lines are noted as they run; ``recorder``
    takes the calls of some functions.
    """

    def __init__(
        self,
        source: str,
        root: str,
        watched: Sequence[str] = (),
        recorder: Optional[CallRecorder] = None,
    ) -> None:
        self._root = root
        self.recorder = recorder
        self._watched = {str(Path(root, path)): path for path in watched}
        self._source = source
        self._lines: Dict[str, Set[int]] = {}
        self.completed = 0
        self._imported: Dict[str, Any] = {}
        self.names: Dict[str, Any] = {
            "__name__": "program",
            "__file__": str(Path(root, "program.py")),
        }

    @property
    def lines(self) -> Dict[str, List[int]]:
        """The lines of each watched file that ran, in order."""
        return {path: sorted(lines)[:MOST_LINES] for path, lines in self._lines.items()}

    def run(self) -> None:
        """Run the statements; raise what one of them raises.

        An import that fails is left out: what needs it fails, and the rest counts.
        """
        statements = _compiled(self._source)
        framework_setup.seed()
        _restore_defaults()
        before = sys.gettrace()
        with project_files.undo_writing():
            if self._watched or self.recorder is not None:
                sys.settrace(self._enter)
            try:
                for code, imports in statements:
                    known = dict(self.names) if imports else {}
                    with contextlib.suppress(*(ImportError,) if imports else ()):
                        exec(code, self.names)
                    if imports:
                        new = {k: v for k, v in self.names.items() if known.get(k) is not v}
                        self._imported.update(new)
                    self.completed += 1
            finally:
                sys.settrace(before)
                _restore_defaults()

    def _enter(self, frame: FrameType, event: str, value: Any) -> Optional[Callable[..., Any]]:
        path = self._watched.get(frame.f_code.co_filename)
        recorder = self.recorder
        if recorder is not None and not recorder.is_about(frame.f_code):
            recorder = None
        if path is None and recorder is None:
            return None
        lines = set() if path is None else self._lines.setdefault(path, set())

        def step(frame: FrameType, event: str, value: Any) -> Callable[..., Any]:
            if event == "line":
                lines.add(frame.f_lineno)
            elif recorder is not None:
                recorder.hear(frame, event, value)
            return step

        return step(frame, event, value)

    def check(self, conditions: Sequence[str]) -> Optional[call_outcomes.CallOutcome]:
        """Return the ending of the first condition that does not hold of the variables.

        ``finite`` and ``near`` (the same numbers up to rounding) are words in it.
        """
        from ..inputs.exploration.call_order import close, greatest_difference
        from ..inputs.exploration.postconditions import compiled
        from ..inputs.exploration.value_comparison import described, finite, true

        compared: List[str] = []

        def near(left: Any, right: Any) -> bool:
            if close(left, right):
                return True
            worst = greatest_difference(left, right)
            where = (
                "" if worst is None else f": at {worst[0] or 'it'} {worst[1]:.6g}, {worst[2]:.6g}"
            )
            compared.append(f"{described(left)} is not near {described(right)}{where}")
            return False

        names = {**self.names, "finite": finite, "near": near}
        for source in conditions:
            condition = compiled(source)
            try:
                if true(eval(condition.code, names)):
                    continue
                shown = [f"{text} is {described(eval(c, names))}" for text, c in condition.operands]
            except AssertionError as error:
                shown = [" ".join(str(error).split())]
            return {
                "kind": "violated",
                "condition": source[: call_outcomes.LONGEST],
                "detail": ", ".join(shown or compared)[: call_outcomes.LONGEST],
            }
        return None

    def observation(self) -> Dict[str, Any]:
        """Return the variables as the observation of a call has its arguments.

        What is imported is the project's, and no result of the program.
        """
        from .observation import Describer, random_digest

        found: Dict[str, Any] = {}
        for name, value in self.names.items():
            if name.startswith("__") or _is_code(value) or self._is_imported(name):
                continue
            if len(found) >= MOST_VARIABLES:
                break
            described = Describer().describe(value)
            if described["kind"] == "object":
                described = self._attributes(value) or described
            found[name] = described
        nothing = Describer().describe(None)
        return {"result": nothing, "arguments": found, "random": True, "state": random_digest()}

    def _is_imported(self, name: str) -> bool:
        return name in self._imported and self.names[name] is self._imported[name]

    def _attributes(self, value: Any) -> Optional[Dict[str, Any]]:
        """Return the public attributes of an object of the project, described; else ``None``."""
        from .observation import Describer

        home = getattr(sys.modules.get(type(value).__module__), "__file__", None) or ""
        state = getattr(value, "__dict__", None)
        if type(state) is not dict or not call_outcomes.is_own(home, self._root):
            return None
        public = [(k, v) for k, v in state.items() if not k.startswith("_") and not _is_code(v)]
        parts = {name: Describer().describe(each) for name, each in public[:MOST_ATTRIBUTES]}
        kind = type(value).__name__
        return {"kind": "parts", "type": kind, "access": "attribute", "size": 0, "parts": parts}


def _compiled(source: str) -> List[Tuple[CodeType, bool]]:
    """Return the code of each statement, and whether it is an import."""
    tree = ast.parse(source)
    flags = compiler_flags(tree)
    return [
        (
            compile(ast.Module([each], []), FILENAME, "exec", flags, dont_inherit=True),
            isinstance(each, (ast.Import, ast.ImportFrom)),
        )
        for each in tree.body
    ]


def _is_code(value: Any) -> bool:
    return isinstance(value, (ModuleType, type)) or (callable(value) and hasattr(value, "__code__"))


def _restore_defaults() -> None:
    """Undo what a program sets for the whole of torch, and for the process."""
    sys.setprofile(None)
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "set_default_dtype"):
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
