from importlib.resources import files

import jsonschema
import pytest

from analyzers.catalogue import load_catalogue
from analyzers.catalogue.api_catalogue import ProviderLimits, provider_limits
from worker.engines.providers.provider_engines import PROVIDERS

LIMITS = sorted(file.name for file in files("analyzers.catalogue").joinpath("limits").iterdir())
ASKED = sorted(name for name in load_catalogue().apis if name.rpartition(".")[0] in PROVIDERS)
THOUSAND = "google.language.analyze_sentiment"


@pytest.mark.parametrize(
    ("api", "size", "length", "micro_dollars"),
    [
        ("google.vision.label_detection", 100_000, 0, 1500),
        ("google.vision.web_detection", 1, 0, 3500),
        (THOUSAND, 0, 0, 1000),
        (THOUSAND, 0, 1000, 1000),
        (THOUSAND, 0, 1001, 2000),
        ("aws.comprehend.detect_sentiment", 0, 10, 300),
        ("aws.comprehend.detect_sentiment", 0, 401, 500),
        ("google.speech.recognize", 10_000_000, 0, 24_000),
        ("google.speech.long_running_recognize", 120_001, 0, 72_000),
        ("openai.chat_completions", 0, 10, None),
    ],
)
def test_price_follows_the_providers_unit(api, size, length, micro_dollars):
    assert provider_limits(api).cost(size, length) == micro_dollars


@pytest.mark.parametrize("api", ASKED)
def test_what_can_be_asked_is_described_and_priced(api):
    known = provider_limits(api)
    assert (known.price is None) == api.startswith(("openai.", "huggingface."))
    assert known.parameters is not None
    assert known.takes
    for schema in known.parameters.values():
        jsonschema.Draft202012Validator.check_schema(dict(schema))


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_is_of_a_known_provider_and_says_its_source(name):
    stem = name.removesuffix(".toml")
    own = [n for n, api in load_catalogue().apis.items() if api.provider.replace(".", "_") == stem]
    assert own
    assert all(provider_limits(api).sources for api in own)


def test_unknown_api_has_the_terms_of_nobody():
    assert provider_limits("nobody.knows.it") == ProviderLimits()
