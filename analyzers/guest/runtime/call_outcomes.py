"""Outcomes of calls, in the terms of the protocol."""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import os
import re
import reprlib
import sys
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Tuple

from ..protocol import api_calls
from ..provenance import error_origin, value_sources
from ..provenance.bindings import is_main_guard
from ..provenance.known_values import ProjectCode
from ..provenance.value_sources import lies_in, takes_outside
from . import assumptions, exit_reasons, standins
from .time_limits import TimeUp

CallOutcome = Dict[str, Any]
Range = Tuple[int, int, int, int]
Step = Tuple[FrameType, int, Optional[Range]]
LONGEST = 1000
_GUEST = str(Path(__file__).absolute().parents[1])
_FOREIGN = re.compile(r"[/\\](site-packages|dist-packages|\.venv|venv|\.tox)[/\\]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_OUTSIDE = re.compile(
    r"outside of (request|application) context|ImproperlyConfigured|SECRET_KEY"
    r"|NVIDIA driver|accelerator device|not compiled with (CUDA|XPU|MPS)|CUDA error|CUDA driver"
    r"|CUDA GPU|cuDNN|cuda[\w ]*not available|MPS (backend|device)|XLA device|\bTPU\b"
    r"|HIP (error|GPU)|Read-only file system|No space left|LookupError .*nltk",
    re.DOTALL,
)
"""Exceptions that tell what the machine or the world around the code lacks."""
_CLIENTS = frozenset({"aiohttp", "anyio", "httpcore", "httplib2", "httpx", "requests", "urllib3"})
_MISSING = re.compile(r"'(\w+)' object has no attribute '(\w+)'")

_short = reprlib.Repr()
_short.maxlevel, _short.maxstring, _short.maxother = 4, 400, 400
_short.maxdict = _short.maxlist = _short.maxtuple = _short.maxset = 20


def returned(value: Any) -> CallOutcome:
    """The call returned."""
    return {"kind": "returned", "value": shown(value)}


def timed_out(seconds: float) -> CallOutcome:
    """The call did not end in time."""
    return {"kind": "timed-out", "seconds": seconds}


def not_run(reason: str) -> CallOutcome:
    """The call could not be made."""
    return {"kind": "not-run", "reason": reason[:LONGEST]}


def limited(reason: str) -> CallOutcome:
    """The call met a limit of ours (memory, processes): it says nothing of the code."""
    return {**not_run(reason), "our_fault": True}


def shown(value: Any) -> str:
    """A bounded ``repr`` without addresses."""
    try:
        text = _short.repr(value)
    except TimeUp:
        raise
    except BaseException as error:
        text = f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
    return _ADDRESS.sub("", text)[:LONGEST]


def raised(
    error: BaseException,
    root: str,
    fillings: Optional[value_sources.SyntheticValues] = None,
    given: FrozenSet[str] = frozenset(),
) -> CallOutcome:
    """Return the ending of a raised exception; ``not-run`` without a frame of the project.

    ``fillings`` are arguments that mean nothing; ``given`` the parameters that we gave a value.
    """
    frames = [step for step in steps_of(error) if is_own(step[0].f_code.co_filename, root)]
    if exit_reasons.is_limit(error) and not _is_own_refusal(error, frames):
        return limited(exit_reasons.MEMORY)
    if not frames:
        return not_run(f"the call could not be made: {_named(error)}: {_said(error)}")
    frame, line, where = frames[-1]
    path = frame.f_code.co_filename
    origin, meant = _origin(error, frames, root, given)
    made_up = _is_of_order(error, frames[0][0]) or (
        origin != error_origin.CODE
        and (
            _is_our_doing(error, frames, where)
            or _is_of(fillings, frames)
            or _is_of_outside(fillings, frames)
        )
    )
    for value in _used(frame, _statement(path, line), where):
        first = value[0] if isinstance(value, list) and value else value
        if type(first) is standins.Inert:
            assumptions.ask_for_content(first.__dict__["_assayer_name"])
    assumptions.doubt_content()
    known = {"origin": origin, "meant": meant} if origin and not made_up else {}
    return {
        **known,
        "kind": "raised",
        "exception": _named(error),
        "message": _said(error),
        "path": os.path.relpath(path, root).replace(os.sep, "/"),
        "line": line,
        "function": function_at(path, line),
        "refusal": is_refusal(error, path, line),
        "standin": made_up,
    }


_SIGNATURE = re.compile(
    r"([\w.]+)\(\) (?:got an unexpected keyword argument|got multiple values for argument"
    r"|got some positional-only arguments|missing \d+ required|takes (?:from )?\d+)"
)


def refused_call(error: BaseException, root: str) -> Optional[CallOutcome]:
    """Return the refusal of a call that a function of the project does not take as it stands."""
    said = _SIGNATURE.match(str(error)) if type(error) is TypeError else None
    if said is None or any(is_own(step[0].f_code.co_filename, root) for step in steps_of(error)):
        return None
    code = _code_of(said.group(1), root)
    if code is None:
        return None
    return {
        "kind": "raised",
        "exception": "TypeError",
        "message": _said(error),
        "path": os.path.relpath(code.co_filename, root).replace(os.sep, "/"),
        "line": code.co_firstlineno,
        "function": said.group(1),
        "refusal": True,
        "standin": False,
    }


def _code_of(name: str, root: str) -> Optional[CodeType]:
    """Return the code of the project's function with a qualified name, if it has one."""
    for module in list(sys.modules.values()):
        found: Any = module if is_own(getattr(module, "__file__", None) or "", root) else None
        for part in name.split(".") if found is not None else ():
            found = getattr(found, "__dict__", {}).get(part)
        function = getattr(found, "__func__", found)
        code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
        if isinstance(code, CodeType) and is_own(code.co_filename, root):
            return code
    return None


def _is_own_refusal(error: BaseException, frames: List[Step]) -> bool:
    where = [(step[0].f_code.co_filename, step[1]) for step in frames[-1:]]
    return any(is_refusal(error, *each) for each in where)


def _named(error: BaseException) -> str:
    kind = type(error)
    module = kind.__module__
    return kind.__name__ if module == "builtins" else f"{module}.{kind.__qualname__}"[:LONGEST]


def _said(error: BaseException) -> str:
    try:
        return _ADDRESS.sub("", str(error))[:LONGEST]
    except TimeUp:
        raise
    except BaseException:
        return ""


# ------------------------------------------------------------------ frames


def steps_of(error: BaseException) -> Iterator[Step]:
    """The frames that an exception passed, the deepest last.

    A generator that raises ``StopIteration`` fails by another error, whose own
    trace ends where the generator was asked (PEP 479).
    """
    yield from _steps(error.__traceback__)
    cause = error.__cause__
    if isinstance(error, RuntimeError) and isinstance(cause, (StopIteration, StopAsyncIteration)):
        yield from _steps(cause.__traceback__)


def _steps(trace: Optional[TracebackType]) -> Iterator[Step]:
    while trace is not None:
        code = trace.tb_frame.f_code
        yield trace.tb_frame, trace.tb_lineno, position(code, trace.tb_lasti)
        trace = trace.tb_next


def position(code: CodeType, instruction: int) -> Optional[Range]:
    """Return where the expression of an instruction stands, where that is known."""
    if sys.version_info < (3, 11):
        return None
    for number, position in enumerate(code.co_positions()):
        if number == instruction // 2:
            return None if None in position else position  # type: ignore[return-value]
    return None


@functools.cache
def is_own(path: str, root: str) -> bool:
    """Return whether a file is the project's own code."""
    if not path.startswith(root.rstrip(os.sep) + os.sep) or path.startswith(_GUEST):
        return False
    return _FOREIGN.search(path[len(root) :]) is None


# ------------------------------------------------------------------ source

_texts: Dict[str, str] = {}


def remember(path: str, source: str) -> None:
    """Keep the text of a loaded file, to tell what stands on its lines."""
    _texts[path] = source
    tree_of.cache_clear()
    _statement.cache_clear()


@functools.cache
def tree_of(path: str) -> ast.Module:
    """The syntax of a loaded file; empty where its text is not known."""
    try:
        return ast.parse(_texts.get(path, ""))
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def function_at(path: str, line: int) -> str:
    """The qualified name of the function around a line."""
    if any(is_main_guard(node) and _covers(node, line) for node in tree_of(path).body):
        return "__main__"
    parts: List[str] = []
    within: List[ast.AST] = [tree_of(path)]
    while within:
        node = within.pop()
        for child in ast.iter_child_nodes(node):
            if not _covers(child, line):
                continue
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                parts.append(child.name)
                if not isinstance(child, ast.ClassDef):
                    parts.append("<locals>")
            within.append(child)
    while parts and parts[-1] == "<locals>":
        parts.pop()
    return ".".join(parts) or "<module>"


def _covers(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is not None and last is not None and first <= line <= last


@functools.cache
def _statement(path: str, line: int) -> Optional[ast.stmt]:
    found: Optional[ast.stmt] = None
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.stmt) and _covers(node, line):
            found = node
    return found


# ------------------------------------------------------------------ verdict


def is_refusal(error: BaseException, path: str, line: int) -> bool:
    """Return whether the statement on a line raises this exception on purpose."""
    if isinstance(error, SystemExit):
        return True
    statement = _statement(path, line)
    if isinstance(statement, ast.Assert):
        return isinstance(error, AssertionError)
    if not isinstance(statement, ast.Raise) or statement.exc is None:
        return False
    name = statement.exc
    name = name.func if isinstance(name, ast.Call) else name
    last = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return last in kinds or not last[:1].isupper()


def _origin(
    error: BaseException, frames: List[Step], root: str, given: FrozenSet[str]
) -> error_origin.Origin:
    """Return the origin of an exception that the project's own code raised by itself."""
    path = frames[-1][0].f_code.co_filename
    last = list(steps_of(error))[-1][0]
    statement = _statement(path, frames[-1][1])
    on_purpose = isinstance(statement, (ast.Raise, ast.Assert)) and not isinstance(error, NameError)
    if last is not frames[-1][0] or on_purpose or _is_environmental(error):
        return error_origin.UNKNOWN, ""
    project = ProjectCode(
        tree_of, functools.partial(is_own, root=root), api_calls.session().places()
    )
    return error_origin.origin_of(error, frames, project, given, _texts.get(path, ""))


def _is_our_doing(error: BaseException, frames: List[Step], where: Optional[Range]) -> bool:
    if _is_environmental(error):
        return True
    deepest = [step[0] for step in steps_of(error)][-1]
    if deepest.f_code.co_filename == standins.__file__:
        return True
    if any(standins.leaked(frame.f_code) for frame, _, _ in frames):
        return True
    frame, line, _ = frames[-1]
    return any(
        _is_inert(value) or _is_filler(error, value)
        for value in _used(frame, _statement(frame.f_code.co_filename, line), where)
    )


def _is_of_order(error: BaseException, first: FrameType) -> bool:
    """Return whether an instance of ours lacks what a method sets that we did not call before."""
    missing = _MISSING.match(_said(error)) if isinstance(error, AttributeError) else None
    kind = type(first.f_locals.get("self"))
    if missing is None or kind.__name__ != missing[1]:
        return False
    setters = {
        method
        for each in kind.__mro__
        for method, value in vars(each).items()
        if _sets(value, missing[2])
    }
    return bool(setters) and "__init__" not in setters


def _sets(method: Any, name: str) -> bool:
    code = getattr(inspect.unwrap(method), "__code__", None) if callable(method) else None
    if not isinstance(code, CodeType) or name not in code.co_names:
        return False
    stored = (each for each in dis.get_instructions(code) if each.opname == "STORE_ATTR")
    return any(each.argval == name for each in stored)


def _is_of(fillings: Optional[value_sources.SyntheticValues], frames: List[Step]) -> bool:
    if fillings is None:
        return False
    asked = api_calls.session().places()
    steps = [
        value_sources.ExceptionStep(tree_of(path), line, where, path, asked)
        for f, line, where in frames
        for path in [f.f_code.co_filename]
    ]
    return value_sources.takes_synthetic_value(steps, fillings)


def _is_of_outside(fillings: Optional[value_sources.SyntheticValues], frames: List[Step]) -> bool:
    """Return whether what failed takes a value from a file, a variable or a service."""
    if fillings is None:
        return False
    frame, line, where = frames[-1]
    path = frame.f_code.co_filename
    step = value_sources.ExceptionStep(tree_of(path), line, where)
    scope = value_sources.function_around(step.tree, line) or step.tree
    nodes = list(value_sources.expressions(step))
    asked = api_calls.session().places()
    return takes_outside(nodes, scope, path, asked, fillings.inputs | fillings.paths)


def _is_environmental(error: Optional[BaseException]) -> bool:
    seen = 0
    while error is not None and seen < 10:
        if isinstance(error, (OSError, ImportError, EOFError)) or api_calls.is_unanswered(error):
            return True
        if _OUTSIDE.search(f"{_named(error)} {_said(error)}") or _is_of_client(error):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _is_of_client(error: BaseException) -> bool:
    """Return whether a client of networks raised, by ``RuntimeError`` and others too."""
    name = ""
    for frame, *_ in _steps(error.__traceback__):
        name = frame.f_globals.get("__name__", "")
    return str(name).partition(".")[0] in _CLIENTS


def _used(frame: FrameType, statement: Optional[ast.stmt], where: Optional[Range]) -> Iterator[Any]:
    """The values of the names that the failing expression (or statement) reads."""
    if statement is None:
        return
    for node in ast.walk(statement):
        if isinstance(node, (ast.Name, ast.Attribute)) and lies_in(node, where):
            yield _value(node, frame)


def _value(node: ast.AST, frame: FrameType) -> Any:
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, frame), "__dict__", {}).get(node.attr)
    return None


def _is_filler(error: BaseException, value: Any) -> bool:
    """Return whether a text stands in a field of a request that nothing is known of."""
    mistyped = isinstance(error, (TypeError, AttributeError))
    return mistyped and isinstance(value, str) and value != "" and not value.strip("1")


def _is_inert(value: Any) -> bool:
    if standins.is_standin(value):
        return not getattr(type(value), "_assayer_filled", False)
    if type(value) in (list, tuple, set) and len(value) <= 1000:
        return any(standins.is_standin(item) for item in value)
    if type(value) is dict and len(value) <= 1000:
        return any(standins.is_standin(item) for item in value.values())
    return False
