"""One file's place in its project, in which other texts are loaded as if they stood there."""

from __future__ import annotations

import sys
import types
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Generator, Mapping

from .. import targets
from ..execution import Prepared

_MAIN = "__main__"


class Place:
    """The file of a prepared target: what its module is called, and where it lies.

    A variant runs as that module: relative imports work, the project's other files are
    as they are.  The module it stands in for comes back afterwards.
    """

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self.file = str(Path(prepared.root, prepared.path))
        self._own: Mapping[str, Any] = prepared.namespace

    @contextmanager
    def module(self, *, script: bool) -> Generator[types.ModuleType, None, None]:
        """A module in the place of the file's own, or in that of ``__main__``."""
        name = _MAIN if script else str(self._own.get("__name__") or "_variant")
        made = types.ModuleType(name)
        made.__file__ = self.file
        made.__package__ = self._own.get("__package__") or name.rpartition(".")[0]
        if not script:
            made.__spec__ = self._own.get("__spec__")
        known = sys.modules.get(name)
        sys.modules[name] = made
        try:
            yield made
        finally:
            if known is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = known

    def load(self, text: str, module: types.ModuleType) -> None:
        """Run a text as that module; raises what it raises."""
        code = compile(text, self.file, "exec", dont_inherit=True)
        exec(code, vars(module))

    def target(self, module: types.ModuleType) -> Prepared:
        """The target as that module has it; raises ``Unfound``."""
        own = self._prepared
        function, owner = targets.find(vars(module), own.name, self.file)
        return replace(
            own,
            function=targets.callable_of(function, owner),
            method=targets.method_of(function, owner),
            guarded=None,
            namespace=vars(module),
        )
