"""Recorded answers of ML APIs as their services send them over HTTP, for reproducers."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from analyzers.catalogue import Api, load_catalogue
from analyzers.catalogue.api_descriptions import data_files, register_cache
from analyzers.guest.clients.described_apis import DELIVERY, failure, taken_delivery
from analyzers.guest.clients.http_clients import JsonProviders
from analyzers.guest.clients.schema_messages import Schema
from analyzers.guest.network.network import KEYS
from analyzers.guest.network.routes import HttpRequest, Route
from analyzers.guest.protocol.api_calls import Answer, ApiRequest
from analyzers.vocabulary import Exchange, Finding, InertArgument, JsonObject

_PROVIDERS = ("openai", "anthropic", "gemini", "cohere", "huggingface", "aws")
_TASKS_OF_FILES = ("speech", "transcription")
_OTHER_CLIENTS = re.compile(
    r"\b(aiohttp|grpc|huggingface_hub|transformers|http\.client|converse_stream|invoke_model\w*)\b"
    r"|\.aio\.|\bGenerativeModel\b"
)
"""Ways of asking whose bytes a reproducer cannot answer."""
_STREAMED = "stream"


def http_answers(finding: Finding, source: str) -> Finding | None:
    """Return a finding whose scripts hold HTTP answers, ``None`` where its client sends none.

    An answer is ``{"body": JSON}``, with ``status`` where it is no success and ``events`` where
    ``source``, the text of the target's file, may ask for a stream; or ``{"late": True}``.
    """
    exchanges = [exchange for probe in finding.probes for exchange in probe.script or ()]
    known = load_catalogue().apis
    apis = [known[name] for name in sorted({each.api for each in exchanges}) if name in known]
    if not apis or not all(map(_is_sent, apis)) or _OTHER_CLIENTS.search(source):
        return None
    if _may_be_given_client(finding, source):
        return None
    streamed = _STREAMED in source
    probes = [
        replace(probe, script=tuple(_sent(each, streamed=streamed) for each in probe.script or ()))
        for probe in finding.probes
    ]
    return replace(finding, probes=tuple(probes))


def _may_be_given_client(finding: Finding, source: str) -> bool:
    """Return whether an argument of the call, or of the constructor, can be the client itself."""
    kinds = {type(each) for probe in finding.probes for each in probe.arguments.values()}
    owner = finding.target.partition("::")[2].rpartition(".")[0]
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return True
    classes = (node for node in nodes if isinstance(node, ast.ClassDef) and node.name == owner)
    methods = (node for kind in classes for node in kind.body)
    return InertArgument in kinds or any(map(_is_asking_constructor, methods))


def _is_asking_constructor(node: ast.stmt) -> bool:
    """Return whether a statement defines an ``__init__`` with parameters that have no default."""
    if not (isinstance(node, ast.FunctionDef) and node.name == "__init__"):
        return False
    given = node.args
    needed = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return needed > 1 or None in given.kw_defaults


def addresses(finding: Finding) -> list[tuple[str, str]]:
    """Return patterns of the requests that each API of a finding is asked by, with its name."""
    names = {exchange.api for probe in finding.probes for exchange in probe.script or ()}
    apis = (load_catalogue().apis[name] for name in sorted(names))
    return [(_pattern(api), api.name) for api in apis]


def keys(finding: Finding) -> dict[str, str]:
    """Return the variables that the clients of a finding's APIs insist on, with made-up values."""
    families = {name.partition(".")[0].upper() for _, name in addresses(finding)}
    also = {"OPENAI": ("GROQ", "MISTRAL", "TOGETHER"), "COHERE": ("CO_",)}
    heads = tuple(head for family in families for head in (family, *also.get(family, ())))
    return {name: value for name, value in KEYS.items() if name.startswith(heads)}


def _is_sent(api: Api) -> bool:
    family, asked = api.provider.partition(".")[0], api.input
    is_single = api.task not in _TASKS_OF_FILES and not (asked is not None and asked.each)
    return family in _PROVIDERS and bool(api.rest or api.target) and is_single


def _pattern(api: Api) -> str:
    if api.target is not None:
        return re.escape(api.target)
    return "|".join("[^?#]+".join(map(re.escape, each.split("*"))) for each in api.rest)


def _sent(exchange: Exchange, *, streamed: bool) -> Exchange:
    brought: Any = exchange.answer.get(DELIVERY) or {}
    if brought.get("late"):
        return exchange.answering({"late": True})
    if brought.get("status"):
        status = int(brought["status"])
        said = failure(status, load_catalogue().apis[exchange.api].provider)
        return exchange.answering({"status": status, "body": said})
    wire: Any = _wire(exchange, stream=False)
    taken_delivery(wire)
    made: JsonObject = {"body": wire}
    events = _wire(exchange, stream=True) if streamed and _has_events(exchange.api) else None
    return exchange.answering({**made, "events": events.decode()} if events is not None else made)


def _has_events(name: str) -> bool:
    api = load_catalogue().apis[name]
    return api.task == "chat" and api.provider.partition(".")[0] in (
        "openai",
        "anthropic",
        "gemini",
    )


@cache
def _schema() -> Schema:
    files = data_files("schemas", ".json")
    return Schema(
        {file.name.removesuffix(".json"): json.loads(file.read_text("utf-8")) for file in files}
    )


register_cache(_schema.cache_clear)


def _wire(exchange: Exchange, *, stream: bool) -> Any:
    """Return the JSON of an answer, or its events as bytes."""

    def ask(request: ApiRequest) -> Answer:
        del request
        return exchange.answer

    [entry] = load_catalogue().as_json([exchange.api])
    verb = ":streamGenerateContent?alt=sse" if stream else ":generateContent"
    body: Mapping[str, Any] = {"input": "", "stream": stream}
    request = HttpRequest("POST", f"https://assayer.invalid/{verb}", {}, body)
    return JsonProviders([entry], _schema(), ask).answer(Route(entry), request)
