"""Modules that are patched when they are imported, and stand-ins for others."""

from __future__ import annotations

import functools
import importlib
import re
import sys
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..clients import (
    anthropic,
    chat_standins,
    client_rules,
    genai,
    google_rules,
    http_clients,
    huggingface,
    other_providers,
)
from ..clients.client_rules import (
    ClientProject,
    ClientRule,
    Family,
    Maker,
    Patch,
    Warmer,
    patch_clients,
)
from ..clients.schema_messages import Schema
from ..inputs import database_tables, external_inputs, project_files, streamlit_page
from ..network.network import Network
from . import assumptions, drawing, replaced_libraries, standins
from .call_outcomes import is_own

Chooser = Callable[[str], Optional[Maker]]


class PatchingFinder(MetaPathFinder):
    """Patches modules before ordinary imports; ``special`` stands in for one that fails."""

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


class StandinFinder(MetaPathFinder):
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
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith("<frozen importlib") and name != importlib.__file__:
                return is_own(name, self._root)
            frame = frame.f_back  # type: ignore[assignment]
        return False


def _note(name: str) -> None:
    standins.note(name)
    replaced_libraries.note(name)


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
            standins.note(module.__name__)
            for known in [
                known for known in sys.modules if known.startswith(f"{module.__name__}.")
            ]:
                del sys.modules[known]
            sys.modules[module.__name__] = self._make(module.__name__)
            return
        apply_patch(self._patch, module)


def apply_patch(patch: Patch, module: ModuleType) -> None:
    """Patch a module; where it is built otherwise than thought, make its clients inert."""
    try:
        patch(module)
    except Exception:
        patch_clients(module)


def _libraries(project: ClientProject) -> List[ClientRule]:
    return [
        ClientRule(r"flask\.config", patch=functools.partial(_fill_settings, root=project.root)),
        ClientRule(
            "sqlite3", patch=functools.partial(database_tables.patch_sqlite, root=project.root)
        ),
        ClientRule("cv2", patch=_patch_cv2),
        ClientRule("soundfile", patch=project_files.patch_soundfile),
        ClientRule("matplotlib", patch=drawing.patch_matplotlib),
        ClientRule("PIL.Image", patch=drawing.patch_pictures),
        ClientRule("PIL.ImageFont", patch=drawing.patch_fonts),
        ClientRule("streamlit", patch=streamlit_page.patch_streamlit),
        ClientRule(r"tiktoken\.load", patch=patch_tiktoken),
    ]


def _patch_cv2(module: ModuleType) -> None:
    project_files.patch_imread(module)
    external_inputs.patch_camera(module)


def _fill_settings(module: Any, root: str) -> None:
    """Let an application of Flask have the keys and addresses that its code insists on."""

    def missing(settings: Any, key: Any) -> Any:
        del settings
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        if not is_own(frame.f_code.co_filename, root):
            standins.lack(key)
        if not assumptions.is_needed(str(key)):
            raise KeyError(key)
        return standins.made_up_variable(f"app.config[{key!r}]", str(key))

    module.Config.__missing__ = missing


def patch_tiktoken(module: Any) -> None:
    """Let encodings, whose words are fetched from a server, have one word for each byte."""

    def load_tiktoken_bpe(*args: Any, **options: Any) -> Dict[bytes, int]:
        del args, options
        standins.note("the words of tiktoken's encodings")
        return {bytes([number]): number for number in range(256)}

    module.load_tiktoken_bpe = load_tiktoken_bpe


FAMILIES: Tuple[Family, ...] = (
    google_rules.google_rules,
    client_rules.aws_rules,
    client_rules.azure_rules,
    huggingface.huggingface_rules,
    client_rules.openai_rules,
    anthropic.anthropic_rules,
    genai.genai_rules,
    chat_standins.chat_rules,
    other_providers.other_rules,
    http_clients.http_rules,
    _libraries,
)

LEFT_OUT = ("google.api_core.operations_v1.transports.rest_asyncio",)
"""Optional parts of SDKs that nothing here sends anything through.

This one imports aiohttp, which takes longer than all the rest of the client.
The SDK expects it to be missing, as without its extra.
"""


BESIDE = (
    "apiclient", "botocore", "groq", "httpx", "instructor", "litellm", "oauth2client",
    "pydantic_ai", "requests", "together",
)  # fmt: skip
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
        self._rules: List[ClientRule] = []
        self._warmers: List[Warmer] = []
        self._any = re.compile("")

    def install(self, known: Mapping[str, str]) -> None:
        """Stand before and behind the ordinary imports; ``known`` are sources by path."""
        schema = Schema(self._schemas)
        about = (self._root, self._entries, self._schemas)
        project = ClientProject(*about, schema, known, self._network, self._warmers)
        self._rules = [rule for family in FAMILIES for rule in family(project)]
        self._any = re.compile("|".join(f"(?:{rule.modules})" for rule in self._rules))
        named = (entry.get(way) for entry in self._entries for way in ("methods", "chains"))
        clients = {
            *BESIDE,
            *(str(each).partition(".")[0] for names in named for each in names or ()),
        }
        replaced_libraries.exempt(clients.difference(LIBRARIES))
        for name in LEFT_OUT:
            sys.modules.setdefault(name, None)  # type: ignore[arg-type]
        standins.InertModule.submodule = staticmethod(self._submodule)
        sys.meta_path.insert(0, PatchingFinder(self.patch, self.instead, self.special))
        sys.meta_path.append(StandinFinder(self.missing, self._root))
        for name, module in list(sys.modules.items()):
            patch = self.patch(name)
            if patch is not None:
                apply_patch(patch, module)

    def warm(self, expected: Sequence[Mapping[str, Any]]) -> None:
        """Do what clients do first, before forks; ``expected`` are entries likely to be asked."""
        for warmer in self._warmers:
            with suppress(Exception):
                warmer(expected)

    def patch(self, name: str) -> Optional[Patch]:
        """Return what to do to a real module when it has been imported."""
        return next((rule.patch for rule in self._about(name) if rule.patch), None)

    def instead(self, name: str) -> Optional[Maker]:
        """Return what makes a module that is used even where a real one is installed."""
        if name.partition(".")[0] in self._hidden:
            return standins.InertModule
        chosen = (rule for rule in self._about(name) if rule.instead and rule.instead(name))
        return next((rule.standin for rule in chosen), None)

    def special(self, name: str) -> Optional[Maker]:
        """Return what makes the stand-in for a module of a family that is known."""
        return next((rule.standin for rule in self._about(name) if rule.standin), None)

    def missing(self, name: str) -> Maker:
        """Return what makes the stand-in for a module that is not installed.

        A name with a capital is a class: of a package that has it no more, its client.
        """
        package, _, last = name.rpartition(".")
        make = self.special(package) if last[:1].isupper() else None
        if make is not None:
            client = getattr(make(package), last)
            return lambda _: client
        return self.special(name) or standins.InertModule

    def _about(self, name: str) -> Iterator[ClientRule]:
        known = self._rules if self._any.fullmatch(name) else ()
        return (rule for rule in known if rule.matches(name))

    def _submodule(self, name: str) -> Optional[ModuleType]:
        special = any(rule.standin for rule in self._about(name))
        return importlib.import_module(name) if special else None


def _has(root: str, name: str) -> bool:
    return any(Path(root, *where, name).exists() for where in ((), ("src",))) or any(
        Path(root, *where, f"{name}.py").exists() for where in ((), ("src",))
    )
