"""A provider that is known by its description alone: JSON in and out.

The input stands in the body's field that the entry names, contents in base 64;
``rest`` says where it is sent (docs/adding-an-api.md).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field

from analyzers import catalogue
from analyzers.catalogue.model import Api
from analyzers.catalogue.paths import elements, values
from analyzers.vocabulary import Json, JsonObject
from worker.engines.canonical import by_schema
from worker.engines.http import Http, as_object
from worker.engines.keyed import Keyed
from worker.engines.request import ApiRequest, NotAsked, Outage
from worker.engines.schemas import shape


@dataclass
class DescribedProvider(Keyed):
    """A provider asked at ``endpoint``, else at the host that its entries name.

    ``credentials`` reads a key when the first question is asked, sent as a
    bearer's; ``None`` asks without.  Only with ``uris`` are addresses passed on:
    the service would fetch them.
    """

    provider: str
    endpoint: str | None = None
    credentials: Callable[[], str] | None = field(default=None, repr=False)
    http: Http = field(default_factory=lambda: Http("the provider"), repr=False)
    uris: bool = False
    local = False

    @property
    def identity(self) -> str:
        """Service and address, part of every recording's key."""
        return f"{self.provider}@{self.endpoint or 'its own address'}"

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The response in the schema's names; a bare list stands under ``elements``.

        Raises:
            NoAnswer: the service refused, failed, or cannot be reached, or the
                entry does not say where it is.

        """
        described = catalogue.load()[api]
        url = self._url(described)
        body = {**request.parameters, **self._input(described, request)}
        return _read(described, self.http.value(url, body, self._key), self.provider)

    def _url(self, described: Api) -> str:
        pattern = next((p for p in described.rest if "*" not in p and not p.startswith("/")), None)
        if pattern is None:
            raise NotAsked(f"{described.name} is described without an address that can be asked")
        host, _, path = pattern.partition("/")
        return f"{(self.endpoint or f'https://{host}').rstrip('/')}/{path}"

    def _input(self, described: Api, request: ApiRequest) -> JsonObject:
        if request.content is None and request.text is None and not self.uris:
            raise NotAsked(
                f"{self.provider} would fetch the address that the code sends: allow it by"
                f' [engines."{self.provider}"] uris = true'
            )
        value: Json = request.uri if request.text is None else request.text
        if request.content is not None:
            value = base64.b64encode(request.content).decode()
        assert described.input is not None
        head, _, inner = described.input.field.partition(".")
        value = {inner: value} if inner else value
        return {head: [value] if described.input.each else value}


def _read(described: Api, value: Json, name: str) -> JsonObject:
    if described.input is not None and described.input.each:
        found = values(value, described.result.partition("[]")[0])
        answers = elements(found[0]) if found else []
        if len(answers) != 1:
            raise Outage(f"{name} answered without a result for the one input")
        value = answers[0]
    message, listed = shape(described.name)
    if listed:
        return {"elements": [by_schema(message, as_object(e, name)) for e in elements(value)]}
    return by_schema(message, as_object(value, name))
