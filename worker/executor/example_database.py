"""Inputs that failed, kept per repository and target to be tried first next time.

They lie, and are swept, beside its recorded answers; they are checked like a guest's frames.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from analyzers.vocabulary import Argument, LiteralArgument, Probe, RecipeArgument
from worker.executor.probe_codec import argument_frame, argument_of
from worker.sandbox.protocol.frame_shapes import Arguments, BadFrame, checked
from worker.system.recording_folders import recording_folder_name
from worker.system.temporary_files import replacement

SCHEMA = "assayer-examples/1"
FOLDER = "examples"
MOST = 20
LARGEST = 256 * 1024
MOST_ARGUMENTS = 100


class ExampleDatabase:
    """Kept examples of a repository in ``folder``; in memory if absent or not ``writable``."""

    def __init__(
        self, folder: Path | None = None, *, writable: bool = True, root: Path | None = None
    ) -> None:
        self._folder = folder
        self._writable = writable and folder is not None
        self._root = root or folder
        self._memory: dict[str, tuple[Probe, ...]] = {}

    @classmethod
    def open(cls, folder: Path, owner: str, *, writable: bool) -> ExampleDatabase:
        """Those of the repository ``owner`` among the recordings in ``folder``."""
        return cls(folder / recording_folder_name(owner) / FOLDER, writable=writable, root=folder)

    def of(self, target: str) -> tuple[Probe, ...]:
        """The examples of a target, the newest first; a damaged file counts as none."""
        if target in self._memory or self._folder is None:
            return self._memory.get(target, ())
        try:
            text = _file(self._folder, target).read_bytes()
            return tuple(_read(text, target))
        except (OSError, ValueError, RecursionError, BadFrame):
            return ()

    def keep(self, target: str, probes: Sequence[Probe]) -> None:
        """Keep literal and recipe probes of a target before others, at most ``MOST``."""
        lasting = [probe for probe in probes if _is_lasting(probe)]
        if not lasting:
            return
        kept: dict[str, Probe] = {}
        for probe in (*lasting, *self.of(target)):
            kept.setdefault(json.dumps(_document(probe), sort_keys=True), probe)
        self._memory[target] = tuple(kept.values())[:MOST]
        if self._writable and self._folder is not None:
            with suppress(OSError):
                self._write(_file(self._folder, target), target)

    def _write(self, file: Path, target: str) -> None:
        probes = [_document(probe) for probe in self._memory[target]]
        while (
            len(text := json.dumps({"schema": SCHEMA, "target": target, "probes": probes}))
            > LARGEST
        ):
            probes.pop()
        with replacement(file, self._root or file.parent) as part:
            part.write(text.encode())


def _file(folder: Path, target: str) -> Path:
    return folder / f"{hashlib.sha256(target.encode()).hexdigest()}.json"


def _is_lasting(probe: Probe) -> bool:
    arguments: Sequence[Argument] = list(probe.arguments.values())
    return bool(arguments) and all(
        isinstance(each, LiteralArgument | RecipeArgument) for each in arguments
    )


def _document(probe: Probe) -> dict[str, Any]:
    return {
        "arguments": {name: argument_frame(each) for name, each in probe.arguments.items()},
        "ensures": list(probe.ensures),
    }


def _read(text: bytes, target: str) -> list[Probe]:
    """The probes in a file's text; raises ``ValueError`` or ``BadFrame``."""
    if len(text) > LARGEST:
        raise ValueError("the file is too long")
    document = _mapping(json.loads(text))
    probes = document.get("probes")
    if document.get("schema") != SCHEMA or document.get("target") != target:
        raise ValueError("the file holds something else")
    if not isinstance(probes, list) or len(probes) > MOST:
        raise ValueError("the file holds no few probes")
    found = [_probe(_mapping(each), target) for each in cast("list[object]", probes)]
    return [probe for probe in found if _is_lasting(probe)]


def _probe(document: Mapping[str, Any], target: str) -> Probe:
    arguments, ensures = document.get("arguments"), document.get("ensures", [])
    checked(arguments, Arguments)
    if len(_mapping(arguments)) > MOST_ARGUMENTS:
        raise ValueError("too many arguments")
    if not isinstance(ensures, list) or not all(
        isinstance(each, str) for each in cast("list[object]", ensures)
    ):
        raise ValueError("the postconditions are no texts")
    made = {name: argument_of(each) for name, each in _mapping(arguments).items()}
    return Probe(target, made, ensures=tuple(cast("list[str]", ensures)))


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("no object")  # noqa: TRY004 - what is read is malformed, not misused
    return cast("Mapping[str, Any]", value)
