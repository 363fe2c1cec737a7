"""Runs tests: with pytest where the project has it, else the plain ones by hand."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
import os
import sys
import types
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..runtime import time_limits
from ..runtime.execution import PreparedTarget
from ..runtime.standins import InertModule
from ..runtime.time_limits import CLOCK, TimeUp
from .documented_examples import run_examples
from .observed_calls import CallRecorder, functions_by_line

_PYTEST = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments")
_USAGE = 4
_SHARE = 0.4
_SOONEST = 0.2
_PLUGINS = {
    "pytest_mock": "mocker",
    "pytest_asyncio.plugin": "asyncio",
    "anyio.pytest_plugin": "anyio",
    "pytest_subtests.plugin": "subtests",
    "pytest_benchmark.plugin": "benchmark",
}


def run_tests(root: str, tests: Sequence[str], seconds: float, recorder: CallRecorder) -> List[str]:
    """Run the tests in files, each within its share of time; return notes on failures."""
    paths = [str(Path(root, test)) for test in tests if Path(root, test).exists()]
    if not paths:
        return ["there are no tests"]
    deadline = time_limits.now() + seconds
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        notes = _with_pytest(root, paths, deadline, recorder)
        return _by_hand(paths, deadline, recorder) if notes is None else notes


def _with_pytest(root: str, paths: Sequence[str], deadline: float, recorder: CallRecorder) -> Any:
    """Notes; ``None`` where there is no pytest, or it does not take this project."""
    try:
        import pytest
    except ImportError:
        return None
    if not hasattr(pytest, "main"):
        return None
    watching = _Watching(deadline, recorder)
    for name in ("pytest_runtest_setup", "pytest_runtest_call"):
        setattr(_Watching, name, pytest.hookimpl(hookwrapper=True)(_limited))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", f"--rootdir={root}"]
    options += [*_plugins(paths), *paths]
    try:
        status = int(pytest.main(options, plugins=[watching]))
    except BaseException as error:
        return [f"pytest ended by {type(error).__name__}"]
    if status >= _USAGE and not watching.begun:
        return None
    return ["the time was up before all tests had run"] if time_limits.now() > deadline else []


def _plugins(paths: Sequence[str]) -> Iterator[str]:
    """Options for the plugins whose words the tests use: to load all of them takes seconds."""
    text = "".join(Path(path).read_text("utf-8", "replace") for path in _files(paths))
    for plugin, word in _PLUGINS.items():
        if word in text and importlib.util.find_spec(plugin.partition(".")[0]) is not None:
            yield from ("-p", plugin)


class _Watching:
    def __init__(self, deadline: float, recorder: CallRecorder) -> None:
        self.begun = False
        self._deadline = deadline
        self.recorder = recorder
        self._whole = deadline - time_limits.now()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.begun = True
        self.recorder.test = nodeid[:300]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if CLOCK.expired:
            return
        if report.failed or (report.passed and report.when == "call"):
            self.recorder.ended(report.nodeid[:300], passed=report.passed)

    def pytest_collectreport(self, report: Any) -> None:
        """Note whether a file of tests could be loaded, under its own name."""
        if "::" not in report.nodeid and report.nodeid.endswith(".py"):
            self.recorder.ended(report.nodeid[:300], passed=not report.failed)

    def limit(self, item: Any) -> float:
        """The seconds that a test may take now; once the time is up it is the last."""
        remaining = self._deadline - time_limits.now()
        if remaining < _SOONEST:
            item.session.shouldstop = "the time is up"
        return max(_SOONEST, min(remaining, _SHARE * self._whole))


def _limited(self: _Watching, item: Any) -> Iterator[None]:
    with CLOCK.limited(self.limit(item)), self.recorder.listening():
        yield


# ------------------------------------------------------------------ by hand


def _by_hand(paths: Sequence[str], deadline: float, recorder: CallRecorder) -> List[str]:
    notes: List[str] = []
    whole = deadline - time_limits.now()
    for path in _files(paths):
        try:
            with CLOCK.limited(max(_SOONEST, deadline - time_limits.now())), recorder.listening():
                module = _module(path)
        except BaseException as error:
            notes.append(f"{Path(path).name}: {type(error).__name__}: {error}"[:300])
            recorder.ended(Path(path).name, passed=False)
            continue
        recorder.ended(Path(path).name, passed=True)
        for name, test in _tests(module):
            remaining = deadline - time_limits.now()
            if remaining < _SOONEST:
                return [*notes, "the time was up before all tests had run"]
            recorder.test = f"{Path(path).name}::{name}"
            seconds = min(remaining, _SHARE * whole)
            _run(test, seconds, recorder)
    return notes


def _run(test: Callable[[], Any], seconds: float, recorder: CallRecorder) -> None:
    try:
        with CLOCK.limited(seconds), recorder.listening():
            test()
    except (unittest.SkipTest, TimeUp):
        return
    except BaseException:
        recorder.ended(recorder.test, passed=False)
    else:
        recorder.ended(recorder.test, passed=True)


def _files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if Path(path).is_dir():
            yield from sorted(str(each) for each in Path(path).rglob("test_*.py"))
        else:
            yield path


def _module(path: str) -> types.ModuleType:
    name = f"_observed_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module")
    if str(Path(path).parent) not in sys.path:
        sys.path.insert(0, str(Path(path).parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _tests(module: types.ModuleType) -> Iterator[Tuple[str, Callable[[], Any]]]:
    """Functions without parameters, methods of plain test classes, unittest's cases."""
    for name, value in list(vars(module).items()):
        if inspect.isfunction(value) and name.startswith("test") and not _needs(value, 0):
            yield name, value
        elif inspect.isclass(value) and issubclass(value, unittest.TestCase):
            for case in unittest.defaultTestLoader.loadTestsFromTestCase(value):
                yield f"{name}::{getattr(case, '_testMethodName', '')}", case.debug
        elif inspect.isclass(value) and name.startswith("Test"):
            yield from _methods(name, value)


def _methods(name: str, kind: type) -> Iterator[Tuple[str, Callable[[], Any]]]:
    for method, function in list(vars(kind).items()):
        if inspect.isfunction(function) and method.startswith("test") and not _needs(function, 1):
            yield f"{name}::{method}", lambda method=method: getattr(kind(), method)()  # type: ignore[misc]


def _needs(function: Any, given: int) -> bool:
    parameters = list(inspect.signature(function).parameters.values())[given:]
    return any(each.default is each.empty for each in parameters)


MOST_CALLS = 2000


def observe(prepared: PreparedTarget, message: Mapping[str, Any]) -> Dict[str, Any]:
    """Answer an ``observe`` frame (docs/guest-protocol.md) in a process of its own."""
    notes: List[str] = []
    names = functions_by_line(prepared, message["functions"])
    recorder = CallRecorder(names, MOST_CALLS)
    _enable_pytest(message.get("layer"))
    documents, seconds = message.get("documents", ()), message["seconds"]
    if documents:
        words = [Path(prepared.path).stem, *{name.partition(".")[0] for name in names.values()}]
        began = time_limits.now()
        run_examples(prepared.root, documents, words, seconds / 2, recorder)
        seconds -= time_limits.now() - began
    notes += run_tests(prepared.root, message["tests"], seconds, recorder)
    return {
        "type": "observed",
        "calls": recorder.calls(),
        "outcomes": recorder.outcomes,
        "notes": notes[:20],
    }


def _enable_pytest(layer: Optional[str]) -> None:
    """Let this process import pytest, from the folder ``layer`` where the project has none."""
    if layer is None:
        return
    for name, module in list(sys.modules.items()):
        if isinstance(module, InertModule) and name.partition(".")[0] in _PYTEST:
            del sys.modules[name]
    sys.path.append(layer)
    importlib.invalidate_caches()


def nothing_observed(reason: str) -> Dict[str, Any]:
    """The frame where the tests could not be run to an end."""
    return {"type": "observed", "calls": [], "outcomes": {}, "notes": [reason]}
