"""SDKs of language models as a project declares them: installed from the index, and answered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.analyzers.ways_of_asking import WAYS, AskedGuest, assert_answered
from worker.environments.provision import Environments
from worker.settings.operator_settings import EnvironmentSettings

pytestmark = pytest.mark.slow

PACKAGES = {
    "azure.ai.formrecognizer": "azure-ai-formrecognizer",
    "azure.ai.inference": "azure-ai-inference aiohttp",
    "cohere": "cohere",
    "google.generativeai": "google-generativeai",
    "groq": "groq",
    "instructor": "instructor",
    "langchain": "langchain",
    "langchain_anthropic": "langchain-anthropic",
    "langchain_aws": "langchain-aws",
    "langchain_google_genai": "langchain-google-genai",
    "langchain_groq": "langchain-groq",
    "langchain_mistralai": "langchain-mistralai",
    "langchain_openai": "langchain-openai",
    "litellm": "litellm",
    "llama_index.llms.anthropic": "llama-index-llms-anthropic",
    "llama_index.llms.openai": "llama-index-llms-openai",
    "mistralai": "mistralai",
    "pydantic_ai": "pydantic-ai-slim[openai,anthropic]",
    "together": "together",
    "vertexai": "google-cloud-aiplatform",
}
"""The declared requirement of a project that imports one of the modules."""
BROKEN = ("llama index anthropic", "pydantic-ai anthropic")
"""Ways whose library does not work with today's ``anthropic`` itself."""
DECLARED = [way for way in WAYS if way.sdk in PACKAGES and way.name not in BROKEN]
SECONDS = 300.0


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The interpreter of a project that declares all packages."""
    folder = tmp_path_factory.mktemp("sdks")
    tree = folder / "declaring"
    tree.mkdir()
    (tree / "requirements.txt").write_text("\n".join(" ".join(PACKAGES.values()).split()) + "\n")
    settings = EnvironmentSettings(folder=folder / "environments")
    with Environments(settings, Path(sys.executable), lambda _: None, offline=False) as made:
        yield str(made.of_tree(tree, []).python)


@pytest.fixture(scope="module")
def guest(
    python: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AskedGuest]:
    """A guest that has imported one SDK."""
    folder = tmp_path_factory.mktemp("guest")
    guest = AskedGuest(folder, python, [request.param])
    yield guest
    guest.close()


@pytest.mark.parametrize(
    ("guest", "way"),
    [pytest.param(way.sdk, way, id=way.name) for way in sorted(DECLARED, key=lambda way: way.sdk)],
    indirect=["guest"],
    scope="module",
)
def test_installed_sdk_is_answered(guest, way) -> None:
    assert_answered(way, guest.run(way, SECONDS))


def test_every_way_has_a_package() -> None:
    installed = {"", "anthropic", "boto3", "google.genai", "huggingface_hub", "openai"}
    plain = {"aiohttp", "httpx", "requests", "urllib3", "azure.ai.documentintelligence"}
    assert {way.sdk for way in WAYS} == installed | plain | PACKAGES.keys()
