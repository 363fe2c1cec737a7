"""Preparation of a guest for its target, and the guest's answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from analyzers import catalogue
from analyzers.catalogue.api_descriptions import data_files, register_cache
from analyzers.detection.file_facts import FRAMEWORKS, top_level_package
from analyzers.vocabulary import JsonObject, Skipped, Target
from worker.environments.environment import Environment
from worker.executor.execution_context import GuestRuntime
from worker.executor.guest_conversation import TargetNotLoaded
from worker.executor.probe_codec import Frame
from worker.sandbox.certificates import certificate
from worker.sandbox.isolation import Isolation

NAME = "environments"


def required_frameworks(target: Target) -> frozenset[str]:
    """Return the frameworks that a target is known to call."""
    return FRAMEWORKS & {top_level_package(api) for api in target.apis}


def missing_framework(
    target: Target, libraries: Sequence[str], environment: Environment | None
) -> Skipped | None:
    """Return why a target is not tested without these frameworks; ``None`` for none."""
    if not libraries:
        return None
    named, plural = " and ".join(libraries), len(libraries) > 1
    not_run = f"code that needs {'them' if plural else 'it'} does not run on stand-ins"
    if environment is None:
        return Skipped(NAME, target.id, f"{named} cannot be imported: {not_run}", our_fault=True)
    reasons = [why for each in libraries if (why := environment.why_absent(each))]
    where = f"{named} cannot be imported in {environment.name}"
    if reasons:
        return Skipped(NAME, target.id, f"{where}: {'; '.join(reasons)}. {not_run}", our_fault=True)
    remedy = environment.remedy or "install it there"
    return Skipped(NAME, target.id, f"{where}: {remedy}. {not_run}")


MOST_TEXTS = 200
LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class PreparedTarget:
    """The guest's description of a loaded target; ``replaced`` libraries have stand-ins."""

    points: tuple[str, ...]
    standins: tuple[str, ...]
    notes: tuple[str, ...]
    replaced: tuple[str, ...] = ()


def prepare_frame(
    place: GuestRuntime, root: str, target: Target, beside: Collection[str] = ()
) -> Frame:
    """The ``prepare`` frame for a target; ``root`` is where the guest sees the tree.

    ``beside`` are files that targets need which the guest will have later.
    """
    known = catalogue.load_catalogue().apis
    providers = {known[name].provider for name in target.apis if name in known}
    return {
        "type": "prepare",
        "root": root,
        "path": target.path,
        "function": target.function,
        "files": list(target.files),
        "beside": list(beside),
        "catalogue": _entries(),
        "expected": [name for name, api in known.items() if api.provider in providers],
        "schemas": _schemas(),
        "network": _network(place.isolation),
        "hidden": list(place.hidden),
    }


def prepared_of(frame: Frame) -> PreparedTarget:
    """Parse a ``prepared`` frame; raise ``TargetNotLoaded`` for an ``unprepared`` one."""
    if frame["type"] == "unprepared":
        raise TargetNotLoaded(frame["reason"][:LONGEST_TEXT])
    return PreparedTarget(
        tuple(frame["points"]),
        bounded_texts(frame["standins"]),
        bounded_texts(frame["notes"]),
        tuple(frame.get("replaced", ())),
    )


def bounded_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return what the guest says for the report, bounded."""
    return tuple(text[:LONGEST_TEXT] for text in texts[:MOST_TEXTS])


def _network(isolation: Isolation) -> dict[str, str | None] | None:
    if not isolation.isolated:
        return None
    if not isolation.namespaces:
        return {"authority": None, "certificate": None, "key": None}
    made = certificate(catalogue.load_catalogue().hosts)
    return {"authority": made.authority, "certificate": made.certificate, "key": made.key}


@cache
def _entries() -> list[JsonObject]:
    """All entries: code asks APIs that no detection saw."""
    known = catalogue.load_catalogue()
    return known.as_json(known.apis)


@cache
def _schemas() -> dict[str, Any]:
    return {
        entry.name.removesuffix(".json"): json.loads(entry.read_text("utf-8"))
        for entry in data_files("schemas", ".json")
    }


for _cache in (_entries, _schemas):
    register_cache(_cache.cache_clear)
