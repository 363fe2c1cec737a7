"""Draw inputs with what Hypothesis documents: the same for one seed, and smaller failing ones."""

from __future__ import annotations

import importlib
import random
import sys
import tempfile
from contextlib import contextmanager
from importlib import import_module, metadata
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, List, Optional, TypeVar

from ...runtime import time_limits
from ...runtime.standins import InertModule
from ..makers import MAKERS

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

NEEDED = "hypothesis"
_NEEDS = (NEEDED, "sortedcontainers", "attr", "exceptiongroup", "typing_extensions")


def enable_hypothesis(layer: Optional[str]) -> Optional[str]:
    """Let this process import Hypothesis, from the folder ``layer`` if need be; or say why not."""
    if layer is not None and layer not in sys.path:
        sys.path.append(layer)
    for name, module in list(sys.modules.items()):
        if isinstance(module, InertModule) and name.partition(".")[0] in _NEEDS:
            del sys.modules[name]
    importlib.invalidate_caches()
    try:
        _take_back()
        found = importlib.import_module(NEEDED)
    except Exception as error:
        return f"Hypothesis cannot be imported here: {type(error).__name__}: {error}"[:300]
    if isinstance(found, InertModule):
        return "Hypothesis is not installed here"
    return None


_aside: Dict[str, ModuleType] = {}
_SET_ASIDE = frozenset({*_NEEDS, "_hypothesis_globals", "_hypothesis_ftz_detector", "attrs"})


def set_aside_hypothesis(layer: Optional[str]) -> None:
    """Import Hypothesis for later and hide it again, so that the project finds what it would.

    Hypothesis that loads others' plugins is left alone.
    """
    before, path = set(sys.modules), list(sys.path)
    if layer is not None:
        sys.path.append(layer)
    try:
        if not _has_plugins():
            importlib.import_module(NEEDED)
    except Exception:
        for name in set(sys.modules) - before:
            del sys.modules[name]
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in _SET_ASIDE:
            _aside[name] = sys.modules.pop(name)


def _has_plugins() -> bool:
    found: Any = metadata.entry_points()
    return bool(found.get(NEEDED) if isinstance(found, dict) else found.select(group=NEEDED))


def _take_back() -> None:
    """Bring back what was set aside, where it is what an import would find."""
    spec = None if NEEDED in sys.modules else find_spec(NEEDED)
    known = getattr(_aside.get(NEEDED), "__spec__", None)
    if spec is not None and known is not None and spec.origin == known.origin:
        for name, module in _aside.items():
            sys.modules.setdefault(name, module)
    _aside.clear()


T = TypeVar("T")
WARM_DRAWS = 3
_ENOUGH_FOR_CONSTANTS = 150
_GUEST = __name__.rpartition(".inputs.")[0]


class StopDrawing(BaseException):
    """Ends the drawing; no ``Exception``, so that Hypothesis lets it through."""


class Budget:
    """Some time from now on, in seconds of work."""

    def __init__(self, seconds: float) -> None:
        self.until = time_limits.now() + seconds

    @property
    def remaining(self) -> float:
        """Seconds left, at least 0."""
        return max(0.0, self.until - time_limits.now())

    def check(self) -> None:
        """Raise :class:`StopDrawing` once it is over."""
        if time_limits.now() >= self.until:
            raise StopDrawing


def draw(strategy: SearchStrategy[T], look: Callable[[T], Any], examples: int, seed: int) -> None:
    """Show up to ``examples`` distinct values to ``look``, until it raises :class:`StopDrawing`."""

    def seen(value: T) -> bool:
        look(value)
        return False

    _find(strategy, seen, examples, seed, shrinking=False)


def smallest(
    strategy: SearchStrategy[T],
    fails: Callable[[T], bool],
    size: Callable[[T], Any],
    examples: int,
    seed: int,
) -> Optional[T]:
    """Return the smallest value that ``fails``; when stopped, that of the least ``size``."""
    failing: List[T] = []

    def noted(value: T) -> bool:
        found = fails(value)
        if found:
            failing.append(value)
        return found

    shrunk = _find(strategy, noted, examples, seed, shrinking=True)
    if shrunk is not None or not failing:
        return shrunk
    return min(failing, key=size)


def _find(
    strategy: SearchStrategy[T],
    condition: Callable[[T], bool],
    examples: int,
    seed: int,
    *,
    shrinking: bool,
) -> Optional[T]:
    from hypothesis import Phase, find, settings
    from hypothesis.errors import Flaky, NoSuchExample, Unsatisfiable

    phases = [Phase.generate, Phase.shrink] if shrinking else [Phase.generate]
    chosen = settings(max_examples=max(1, examples), phases=phases, database=None, deadline=None)
    try:
        return find(strategy, condition, settings=chosen, random=random.Random(seed))
    except (NoSuchExample, Unsatisfiable, Flaky, StopDrawing):
        return None


def prepare(strategy: SearchStrategy[Any]) -> None:
    """Let Hypothesis read the constants of the project's modules before processes fork."""
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.strategies import integers, lists

    set_hypothesis_home_dir(tempfile.mkdtemp(prefix="drawing-"))
    for name in frozenset(MAKERS.values()):
        import_module(f"{_GUEST}.inputs.makers.{name}")
    several = lists(integers(), min_size=_ENOUGH_FOR_CONSTANTS, max_size=_ENOUGH_FOR_CONSTANTS)
    with _hidden():
        draw(several, lambda _: None, WARM_DRAWS, 0)
        draw(strategy, lambda _: None, WARM_DRAWS, 0)


@contextmanager
def _hidden() -> Generator[None, None, None]:
    """Our own modules without the files that they come from."""
    ours = [module for name, module in sys.modules.items() if name.startswith(f"{_GUEST}.")]
    files = [(module, vars(module).pop("__file__", None)) for module in ours]
    try:
        yield
    finally:
        for module, file in files:
            module.__file__ = file
