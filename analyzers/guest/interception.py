"""Which modules are patched when they are imported, and which are stood in for."""

from __future__ import annotations

import importlib
import re
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import camera, files, replaced, standins
from .clients import (
    aws_family,
    azure_family,
    google_family,
    huggingface_family,
    openai_family,
    other_family,
    rest,
)
from .clients.family import Family, Maker, Patch, Project, Rule, Warmer
from .importing import First, Last, apply
from .messages import Schema
from .network.network import Network


def _media(project: Project) -> List[Rule]:
    del project
    return [Rule("cv2", patch=_patch_cv2), Rule("soundfile", patch=files.patch_soundfile)]


def _patch_cv2(module: ModuleType) -> None:
    files.patch_cv2(module)
    camera.patch_cv2(module)


FAMILIES: Tuple[Family, ...] = (
    google_family.rules,
    aws_family.rules,
    azure_family.rules,
    huggingface_family.rules,
    openai_family.rules,
    other_family.rules,
    rest.rules,
    _media,
)

LEFT_OUT = ("google.api_core.operations_v1.transports.rest_asyncio",)
"""Optional parts of SDKs that nothing here sends anything through.

This one imports aiohttp, which takes longer than all the rest of the client.
The SDK expects it to be missing, as without its extra.
"""


BESIDE = ("apiclient", "botocore", "httpx", "oauth2client", "requests")
"""Packages of ML APIs' clients that no catalogue entry names."""
LIBRARIES = ("transformers",)
"""Libraries that are more than the client of the ML API that the catalogue describes."""


class Interception:
    """The rules of all families; the first that says something of a module counts."""

    def __init__(
        self,
        root: str,
        entries: Sequence[Mapping[str, Any]],
        schemas: Mapping[str, Any],
        hidden: Sequence[str] = (),
        network: Optional[Network] = None,
    ) -> None:
        self._root = root
        self._entries = entries
        self._schemas = schemas
        self._network = network or Network()
        self._hidden = frozenset(name for name in hidden if not _has(root, name))
        self._rules: List[Rule] = []
        self._warmers: List[Warmer] = []
        self._any = re.compile("")

    def install(self, known: Mapping[str, str]) -> None:
        """Stand before and behind the ordinary imports; ``known`` are sources by path."""
        schema = Schema(self._schemas)
        about = (self._root, self._entries, self._schemas)
        project = Project(*about, schema, known, self._network, self._warmers)
        self._rules = [rule for family in FAMILIES for rule in family(project)]
        self._any = re.compile("|".join(f"(?:{rule.modules})" for rule in self._rules))
        methods = (method for entry in self._entries for method in entry.get("methods") or ())
        clients = {*BESIDE, *(str(method).partition(".")[0] for method in methods)}
        replaced.exempt(clients.difference(LIBRARIES))
        for name in LEFT_OUT:
            sys.modules.setdefault(name, None)  # type: ignore[arg-type]
        standins.InertModule.submodule = staticmethod(self._submodule)
        sys.meta_path.insert(0, First(self.patch, self.instead, self.special))
        sys.meta_path.append(Last(self.missing, self._root))
        for name, module in list(sys.modules.items()):
            patch = self.patch(name)
            if patch is not None:
                apply(patch, module)

    def warm(self, expected: Sequence[Mapping[str, Any]]) -> None:
        """Do once, in the process that is forked for each batch of inputs, what clients do first.

        ``expected`` are the entries of APIs that the target is likely to ask.
        """
        for warmer in self._warmers:
            with suppress(Exception):
                warmer(expected)

    def patch(self, name: str) -> Optional[Patch]:
        """What to do to a real module when it has been imported."""
        return next((rule.patch for rule in self._about(name) if rule.patch), None)

    def instead(self, name: str) -> Optional[Maker]:
        """What makes a module that is used even where a real one is installed."""
        if name.partition(".")[0] in self._hidden:
            return standins.InertModule
        chosen = (rule for rule in self._about(name) if rule.instead and rule.instead(name))
        return next((rule.standin for rule in chosen), None)

    def special(self, name: str) -> Optional[Maker]:
        """What makes the stand-in for a module of a family that is known."""
        return next((rule.standin for rule in self._about(name) if rule.standin), None)

    def missing(self, name: str) -> Maker:
        """What makes the stand-in for a module that is not installed."""
        return self.special(name) or standins.InertModule

    def _about(self, name: str) -> Iterator[Rule]:
        known = self._rules if self._any.fullmatch(name) else ()
        return (rule for rule in known if rule.matches(name))

    def _submodule(self, name: str) -> Optional[ModuleType]:
        """The module that a stand-in package has under a name, if a special one."""
        special = any(rule.standin for rule in self._about(name))
        return importlib.import_module(name) if special else None


def _has(root: str, name: str) -> bool:
    """Whether a project has a module of its own of that name."""
    return any(Path(root, *where, name).exists() for where in ((), ("src",))) or any(
        Path(root, *where, f"{name}.py").exists() for where in ((), ("src",))
    )
