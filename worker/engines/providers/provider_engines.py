"""The engine that asks a provider itself, by the operator's settings."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from analyzers import catalogue
from analyzers.catalogue.api_descriptions import Api
from analyzers.catalogue.canonical_answers import elements, values_at
from analyzers.vocabulary import Json, JsonObject
from worker.engines.api_answers import by_schema, shape
from worker.engines.engine import ApiRequest, Engine, NotAsked, Outage
from worker.engines.providers.aws import DEFAULT_REGION, OPERATIONS, Aws, Transcribe
from worker.engines.providers.azure import Azure, AzureSpeech
from worker.engines.providers.google import ENDPOINTS, Google
from worker.engines.providers.http_client import Http, KeyedProvider, as_object
from worker.engines.providers.huggingface import PUBLIC as HUGGING_FACE
from worker.engines.providers.huggingface import HuggingFace
from worker.engines.providers.openai import PUBLIC, AzureOpenAI, OpenAI
from worker.errors import UsageError
from worker.settings.operator_settings import EngineSettings


@dataclass
class DescribedProvider(KeyedProvider):
    """A provider asked at ``endpoint`` or its entries' host, with a bearer's key."""

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
        """Return the response in the schema's names, lists as ``elements``; raise ``NoAnswer``."""
        described = catalogue.load_catalogue()[api]
        pattern = next((p for p in described.rest if "*" not in p and not p.startswith("/")), None)
        if pattern is None:
            raise NotAsked(f"{described.name} is described without an address that can be asked")
        host, _, path = pattern.partition("/")
        url = f"{(self.endpoint or f'https://{host}').rstrip('/')}/{path}"
        body = {**request.parameters, **self._input(described, request)}
        return _read(described, self.http.value(url, body, self._key), self.provider)

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
        found = values_at(value, described.result.partition("[]")[0])
        answers = elements(found[0]) if found else []
        if len(answers) != 1:
            raise Outage(f"{name} answered without a result for the one input")
        value = answers[0]
    message, listed = shape(described.name)
    if listed:
        return {"elements": [by_schema(message, as_object(e, name)) for e in elements(value)]}
    return by_schema(message, as_object(value, name))


_REGION = re.compile(r"[a-z]{2,3}(-[a-z]+)+-\d{1,2}")


def provider_engine(provider: str, setting: EngineSettings) -> Engine | None:
    """Return the engine of ``provider``'s protocol, or ``None``; raise ``UsageError``."""
    if provider in PROVIDERS:
        return _MAKERS[provider.partition(".")[0]](provider, setting)
    if any(api.provider == provider for api in catalogue.load_catalogue().apis.values()):
        endpoint = _address(provider, setting.endpoint) if setting.endpoint else None
        http = Http(provider)
        return DescribedProvider(provider, endpoint, _credentials(setting), http, setting.uris)
    return None


def _google(provider: str, setting: EngineSettings) -> Engine:
    endpoint = _address(provider, setting.endpoint or ENDPOINTS[provider])
    return Google(provider, endpoint, _credentials(setting), Http(provider), setting.uris)


def _aws(provider: str, setting: EngineSettings) -> Engine:
    region = setting.region or (DEFAULT_REGION if setting.endpoint else None)
    if region is None or not _REGION.fullmatch(region):
        raise UsageError(
            'is to name one of AWS, as "eu-central-1"', key=f'engines."{provider}".region'
        )
    public = f"https://{provider.rpartition('.')[2]}.{region}.amazonaws.com"
    endpoint = _address(provider, setting.endpoint or public)
    kind = Transcribe if provider == "aws.transcribe" else Aws
    return kind(provider, endpoint, region, _credentials(setting), Http(provider), setting.uris)


def _azure(provider: str, setting: EngineSettings) -> Engine:
    if setting.endpoint is None:
        raise UsageError(
            'is to be that of your resource, as "https://NAME.cognitiveservices.azure.com"',
            key=f'engines."{provider}".endpoint',
        )
    endpoint = _address(provider, setting.endpoint)
    shared = (provider, endpoint, _credentials(setting), Http(provider))
    if provider == "azure.speech":
        return AzureSpeech(*shared)
    kind = AzureOpenAI if provider == "azure.openai" else Azure
    return kind(*shared, setting.uris)


def _openai(provider: str, setting: EngineSettings) -> Engine:
    endpoint = _address(provider, setting.endpoint or PUBLIC)
    return OpenAI(provider, endpoint, _credentials(setting), Http(provider), setting.uris)


def _huggingface(provider: str, setting: EngineSettings) -> Engine:
    endpoint = _address(provider, setting.endpoint or HUGGING_FACE)
    return HuggingFace(provider, endpoint, _credentials(setting), Http(provider))


def _credentials(setting: EngineSettings) -> Callable[[], str] | None:
    return setting.credentials.read if setting.credentials else None


def _address(provider: str, endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.query
        good = good and (parts.port or 1) > 0 and parts.username is parts.password is None
    except ValueError:
        good = False
    if not good:
        raise UsageError(
            "is not an http(s) address without name, password and query",
            key=f'engines."{provider}".endpoint',
        )
    return endpoint


_MAKERS: dict[str, Callable[[str, EngineSettings], Engine]] = {
    "aws": _aws,
    "azure": _azure,
    "google": _google,
    "huggingface": _huggingface,
    "openai": _openai,
}
AZURE = ("azure.vision", "azure.language", "azure.speech", "azure.openai")
PROVIDERS = (*ENDPOINTS, *OPERATIONS, *AZURE, "openai", "huggingface")
