"""The engine that asks a provider itself, by the operator's settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from analyzers import catalogue
from worker.engines.aws import DEFAULT_REGION, OPERATIONS, Aws
from worker.engines.azure import Azure
from worker.engines.azure_openai import AzureOpenAI
from worker.engines.azure_speech import AzureSpeech
from worker.engines.described import DescribedProvider
from worker.engines.engine import Engine
from worker.engines.google import ENDPOINTS, Google
from worker.engines.http import Http
from worker.engines.huggingface import PUBLIC as HUGGING_FACE
from worker.engines.huggingface import HuggingFace
from worker.engines.openai import PUBLIC, OpenAI
from worker.engines.transcribe import Transcribe
from worker.errors import UsageError
from worker.settings.server import EngineSettings

_REGION = re.compile(r"[a-z]{2,3}(-[a-z]+)+-\d{1,2}")


def provider_engine(provider: str, setting: EngineSettings) -> Engine | None:
    """The engine that speaks the protocol of ``provider``; ``None`` where none does.

    Raises:
        UsageError: the endpoint is no address or is missing where there is no
            public one, or the region is none.

    """
    if provider in PROVIDERS:
        return _MAKERS[provider.partition(".")[0]](provider, setting)
    if any(api.provider == provider for api in catalogue.load().apis.values()):
        return _described(provider, setting)
    return None


def _described(provider: str, setting: EngineSettings) -> Engine:
    endpoint = _address(provider, setting.endpoint) if setting.endpoint else None
    http = Http(provider)
    return DescribedProvider(provider, endpoint, _credentials(setting), http, setting.uris)


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
