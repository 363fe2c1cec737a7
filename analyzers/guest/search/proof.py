"""When an exhausted search proves something about the program.

The search varies the answers' main fields and nothing else.  Where the code
may look at anything else, nothing is proved.
"""

from __future__ import annotations

import ast
from typing import Any, Iterator, Mapping, Set

from .campaign import Campaign
from .entry import Entry

_OUTSIDE = {
    "environ", "getenv", "argv", "random", "randint", "choice", "uniform", "now", "today",
    "utcnow", "time", "perf_counter", "input", "getattr", "hasattr", "vars", "__dict__", "to_dict",
    "to_json", "MessageToDict", "MessageToJson", "_pb", "ListFields", "HasField", "load", "loads",
    "global", "globals", "exec", "eval", "isfile", "exists", "getsize", "stat",
}  # fmt: skip


def may_prove(campaign: Campaign, entry: Entry) -> bool:
    """Whether nothing but the modelled fields of the answers can matter.

    A method or a function with further parameters depends on more than the
    answers; so does code that reads the clock, the environment or fields of
    the response that the models keep fixed.
    """
    prepared = campaign.prepared
    others = [p for p in prepared.parameters if p["name"] != entry.slot]
    if others or "." in prepared.name or "<" in prepared.name:
        return False
    fixed: Set[str] = set()
    for api in campaign.apis:
        fields = _fields(prepared.entries, prepared.schemas, api)
        if not fields:
            return False
        fixed |= fields - set(campaign.models[api].fields)
    return not any(
        fixed & _read(source) or _OUTSIDE & _read(source, names=True)
        for source in prepared.sources.values()
    )


def _read(source: str, *, names: bool = False) -> Set[str]:
    """Every attribute and string of a source text, and every name if wanted."""
    found: Set[str] = set()
    for node in ast.walk(ast.parse(source.lstrip("\ufeff"))):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif names and isinstance(node, ast.Name):
            found.add(node.id)
        elif names and isinstance(node, ast.Global):
            found.add("global")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def _fields(entries: Any, schemas: Mapping[str, Any], api: str) -> Set[str]:
    """The names of all fields below the response of an API."""
    messages = dict(_messages(schemas))
    schema = next((e.get("schema") or "" for e in entries if e["name"] == api), "")
    simple = schema.rpartition(".")[2]
    waiting = [name for name in messages if simple and name.rpartition(".")[2] == simple]
    seen: Set[str] = set()
    fields: Set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in messages and name not in seen:
            seen.add(name)
            fields |= set(messages[name])
            waiting += [field["type"] for field in messages[name].values()]
    return fields


def _messages(schemas: Mapping[str, Any]) -> Iterator[Any]:
    for key, value in schemas.items():
        if key == "messages":
            yield from value.items()
        elif isinstance(value, Mapping):
            yield from _messages(value)
