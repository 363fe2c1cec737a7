"""Objects that code beside the tested file defines: in tests, examples and libraries."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any


def imported(module: str, name: str) -> Any:
    """The object ``name`` of a library's module, or of a project's file (``tests/models.py``)."""
    found = _module_of_file(module) if module.endswith(".py") else importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def constructed(module: str, name: str, *args: Any, **kwargs: Any) -> Any:
    """The result of a call of the object ``name`` of a module or file."""
    return imported(module, name)(*args, **kwargs)


def _module_of_file(path: str) -> Any:
    """The module that a file is for the code beside it."""
    places = [Path(entry, path) for entry in ["", *sys.path]]
    file = next(each for each in places if each.is_file()).resolve()
    for module in list(sys.modules.values()):
        known = getattr(module, "__file__", None)
        if known and Path(known).resolve() == file:
            return module
    folder, name = file.parent, file.stem
    while (folder / "__init__.py").exists():
        folder, name = folder.parent, f"{folder.name}.{name}"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module(name)
