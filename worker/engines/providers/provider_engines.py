"""The engine that asks a provider itself, by the operator's settings."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
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
from worker.engines.providers.http_client import Http, ProviderEngine, as_object
from worker.engines.providers.huggingface import PUBLIC as HUGGING_FACE
from worker.engines.providers.huggingface import HuggingFace
from worker.engines.providers.openai import PUBLIC, AzureOpenAI, OpenAI
from worker.errors import UsageError
from worker.settings.operator_settings import EngineSettings


@dataclass
class DescribedProvider(ProviderEngine):
    """A provider asked at ``endpoint`` or its entries' host, with a bearer's key."""

    @property
    def identity(self) -> str:
        """Service and address, part of every recording's key."""
        return f"{self.provider}@{self.base or 'its own address'}"

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the response in the schema's names, lists as ``elements``; raise ``NoAnswer``."""
        described = catalogue.load_catalogue()[api]
        pattern = next((p for p in described.rest if "*" not in p and not p.startswith("/")), None)
        if pattern is None:
            raise NotAsked(f"{described.name} is described without an address that can be asked")
        host, _, path = pattern.partition("/")
        url = f"{self.base or f'https://{host}'}/{path}"
        body = {**request.parameters, **self._input(described, request)}
        return _read(described, self.http.value(url, body, self._key), self.provider)

    def _input(self, described: Api, request: ApiRequest) -> JsonObject:
        if request.content is None and request.text is None:
            self.expect_uris()
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
    family = provider.partition(".")[0] if provider in PROVIDERS else ""
    described = (api.provider == provider for api in catalogue.load_catalogue().apis.values())
    if not family and not any(described):
        return None
    kind = _ENGINES.get(provider) or _ENGINES.get(family, DescribedProvider)
    credentials = setting.credentials.read if setting.credentials else None
    region = _region(provider, setting) if family == "aws" else ""
    endpoint = setting.endpoint or _PUBLIC.get(provider, "")
    if family == "aws":
        endpoint = endpoint or f"https://{provider.rpartition('.')[2]}.{region}.amazonaws.com"
    if family == "azure" and not endpoint:
        raise UsageError(
            'is to be that of your resource, as "https://NAME.cognitiveservices.azure.com"',
            key=f'engines."{provider}".endpoint',
        )
    if endpoint:
        _expect_address(provider, endpoint)
    engine = kind(provider, endpoint, credentials, Http(provider), setting.uris)
    if isinstance(engine, Aws):
        engine.region = region
    return engine


def _region(provider: str, setting: EngineSettings) -> str:
    region = setting.region or (DEFAULT_REGION if setting.endpoint else "")
    if not _REGION.fullmatch(region):
        raise UsageError(
            'is to name one of AWS, as "eu-central-1"', key=f'engines."{provider}".region'
        )
    return region


def _expect_address(provider: str, endpoint: str) -> None:
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


_ENGINES: dict[str, type[ProviderEngine]] = {
    "aws": Aws,
    "aws.transcribe": Transcribe,
    "azure": Azure,
    "azure.openai": AzureOpenAI,
    "azure.speech": AzureSpeech,
    "google": Google,
    "huggingface": HuggingFace,
    "openai": OpenAI,
}
_PUBLIC = {**ENDPOINTS, "openai": PUBLIC, "huggingface": HUGGING_FACE}
AZURE = ("azure.vision", "azure.language", "azure.speech", "azure.openai")
PROVIDERS = (*ENDPOINTS, *OPERATIONS, *AZURE, "openai", "huggingface")
