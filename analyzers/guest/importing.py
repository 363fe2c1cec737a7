"""The import hooks: one patches and stands in, one catches what is missing."""

from __future__ import annotations

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Callable, Optional, Sequence

from . import replaced, standins
from .clients.family import Maker, Patch
from .clients.inert import patch_clients
from .endings import is_own

Chooser = Callable[[str], Optional[Maker]]


class First(MetaPathFinder):
    """Before the ordinary imports: patches, and stand-ins for installed modules.

    ``special`` makes the stand-in for a module that is there but fails.
    """

    def __init__(
        self, patch: Callable[[str], Optional[Patch]], instead: Chooser, special: Chooser
    ) -> None:
        self._patch = patch
        self._instead = instead
        self._special = special

    def find_spec(
        self,
        fullname: str,
        path: Optional[Sequence[str]],
        target: Optional[ModuleType] = None,
    ) -> Optional[ModuleSpec]:
        """A spec for the modules that concern us."""
        make = self._instead(fullname)
        if make is not None:
            _note(fullname)
            return _spec(fullname, make)
        patch = self._patch(fullname)
        if patch is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Patching(spec.loader, patch, self._special(fullname))
        return spec


class Last(MetaPathFinder):
    """Behind the ordinary imports: what the project imports and is not there."""

    def __init__(self, missing: Callable[[str], Maker], root: str) -> None:
        self._missing = missing
        self._root = root

    def find_spec(
        self,
        fullname: str,
        path: Optional[Sequence[str]],
        target: Optional[ModuleType] = None,
    ) -> Optional[ModuleSpec]:
        """A stand-in's spec, where the project itself does the import."""
        del path, target
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if not (isinstance(parent, standins.InertModule) or self._is_asked()):
            return None
        _note(fullname)
        return _spec(fullname, self._missing(fullname))

    def _is_asked(self) -> bool:
        """Whether the import stands in the project's own code."""
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith("<frozen importlib") and name != importlib.__file__:
                return is_own(name, self._root)
            frame = frame.f_back  # type: ignore[assignment]
        return False


def _note(name: str) -> None:
    standins.note(name)
    replaced.note(name)


def _spec(name: str, make: Maker) -> ModuleSpec:
    spec = ModuleSpec(name, _Making(make), is_package=True)
    spec.submodule_search_locations = []
    return spec


class _Making(Loader):
    def __init__(self, make: Maker) -> None:
        self._make = make

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._make(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        del module


class _Patching(Loader):
    """Another loader, and a patch when it is done, or a stand-in when it fails."""

    def __init__(self, loader: Any, patch: Patch, make: Optional[Maker]) -> None:
        self._loader = loader
        self._patch = patch
        self._make = make

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_loader"], name)

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        made: Optional[ModuleType] = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        try:
            self._loader.exec_module(module)
        except Exception:
            if self._make is None:
                raise
            _replace(module.__name__, self._make)
            return
        apply(self._patch, module)


def _replace(name: str, make: Maker) -> None:
    """Stand in for a module that is being imported, and for all that it brought in."""
    standins.note(name)
    for known in [known for known in sys.modules if known.startswith(f"{name}.")]:
        del sys.modules[known]
    sys.modules[name] = make(name)


def apply(patch: Patch, module: ModuleType) -> None:
    """Patch a module; where it is built otherwise than thought, make its clients inert."""
    try:
        patch(module)
    except Exception:
        patch_clients(module)
