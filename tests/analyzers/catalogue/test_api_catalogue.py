"""What the catalogue says of ML APIs and of labels."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from analyzers.catalogue import Grade, is_content_category, load_catalogue
from analyzers.vocabulary import InputKind

CATALOGUE = load_catalogue()
LANGUAGE = "https://language.googleapis.com"
AZURE = "https://x.cognitiveservices.azure.com"


@pytest.mark.parametrize("name", sorted(CATALOGUE.apis))
def test_every_api_is_described(name):
    api = CATALOGUE[name]
    assert name.startswith(f"{api.provider}.")
    assert api.methods
    assert api.result
    assert api.schema
    assert api.input is not None
    assert api.input.kind in set(InputKind)
    for path in filter(None, (api.key, api.score)):
        assert path.startswith(api.result.split(".")[0].removesuffix("[]"))


@pytest.mark.parametrize("name", sorted(CATALOGUE.apis))
def test_methods_are_canonical_and_found(name):
    for method in CATALOGUE[name].methods:
        assert CATALOGUE.canonical(method) == method
        assert CATALOGUE[name] in CATALOGUE.called(method, ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("google.cloud.vision_v1.types.Image", "google.cloud.vision.Image"),
        (
            "google.cloud.vision_v1.ImageAnnotatorAsyncClient",
            "google.cloud.vision.ImageAnnotatorClient",
        ),
        (
            "google.cloud.language_v1beta2.LanguageServiceClient.from_service_account_file",
            "google.cloud.language.LanguageServiceClient",
        ),
        ("boto3.session.Session.client", "boto3.client"),
        ("openai.AsyncAzureOpenAI.chat.completions.create", "openai.chat.completions.create"),
        ("google.cloud.visionary", "google.cloud.visionary"),
    ],
)
def test_older_names_become_current(old, new):
    assert CATALOGUE.canonical(old) == new


def names(apis):
    return sorted(api.name for api in apis)


def test_features_tell_shared_requests_apart():
    method = "google.cloud.vision.ImageAnnotatorClient.annotate_image"
    found = CATALOGUE.called(method, ["google.cloud.vision.Feature.Type.LABEL_DETECTION"])
    assert names(found) == ["google.vision.label_detection"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (
            ["https://vision.googleapis.com/v1p1beta1/images:annotate?key=…", "TEXT_DETECTION"],
            ["google.vision.text_detection"],
        ),
        (
            ["https://language.googleapis.com/v2/documents:analyzeSentiment"],
            ["google.language.analyze_sentiment"],
        ),
        (
            ["https://x.cognitiveservices.azure.com/text/analytics/v3.1/sentiment"],
            ["azure.language.analyze_sentiment"],
        ),
        (["https://example.org/v1/images:annotate"], []),
        (["https://vision.googleapis.com/v1/images:annotated"], []),
    ],
)
def test_addresses_tell_apis(words, found):
    assert names(CATALOGUE.posted(words)) == found


def test_json_carries_every_field():
    (entry,) = CATALOGUE.as_json(["google.vision.label_detection"])
    assert json.loads(json.dumps(entry))["input"] == {
        "field": "image.content",
        "kind": "image",
        "each": False,
        "also": [],
    }
    assert entry["key"] == "label_annotations[].description"


@pytest.mark.parametrize(
    ("label", "grade", "canonical"),
    [
        ("Dog", Grade.EXACT, "Dog"),
        ("dog", Grade.CASE, "Dog"),
        ("Packaged goods", Grade.EXACT, "Packaged goods"),
        ("hair", Grade.ALIAS, "Human hair"),
        ("Doggo", Grade.UNKNOWN, None),
    ],
)
def test_labels_are_graded(label, grade, canonical):
    vocabulary = CATALOGUE.vocabulary("openimages")
    assert vocabulary.grade(label) is grade
    assert vocabulary.canonical(label) == canonical


def test_closest_labels_are_spelled_alike():
    assert CATALOGUE.vocabulary("openimages").closest("Doggo")[0] == "Dog"
    assert CATALOGUE.vocabulary("rekognition").closest("Persn")[0] == "Person"
    assert CATALOGUE.vocabulary("openimages").closest("xqzxqz") == ()


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("/Food & Drink", True),
        ("Food & Drink", True),
        ("food & drink", True),
        ("Food & Drink/Beverages", True),
        ("/Travel & Transportation/Hotels & Accommodations", True),
        ("/Arts & Entertainment/Movies/Comedy Films", True),
        ("Arts", False),
        ("ensitive", False),
        ("/Somewhere/Else", False),
        ("", False),
    ],
)
def test_content_category_is_a_path_or_a_whole_part_of_one(name, named):
    assert is_content_category(name) is named


def test_vocabularies_are_whole():
    assert len(CATALOGUE.vocabulary("google-content").labels) == 621
    assert len(CATALOGUE.vocabulary("openimages").labels) == 19984
    assert len(CATALOGUE.vocabulary("rekognition").labels) == 3082


@pytest.mark.parametrize(
    "name",
    [
        "google.vision.label_detection",
        "google.vision.text_detection",
        "google.vision.document_text_detection",
        "google.language.analyze_sentiment",
    ],
)
def test_paths_lead_through_the_schema(name):
    api = CATALOGUE[name]
    file = f"{api.provider.replace('.', '_')}.json"
    text = files("analyzers.catalogue").joinpath("schemas", file).read_text("utf-8")
    messages = json.loads(text)["messages"]
    for path in filter(None, (api.result, api.key, api.score)):
        message = api.schema
        for step in path.split("."):
            field = messages[message][step.removesuffix("[]")]
            assert bool(field.get("repeated")) == step.endswith("[]")
            message = field["type"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("from torchvision import ops  # google\n", False),
        ("# as in OpenAI's CLIP\nname = 'openai-clip'\n", False),
        ("if deep:\n    import openai\n", True),
        ("url = 'https://api.openai.com/v1/embeddings'\n", True),
        ("kit = importlib.import_module('openai')\n", True),
        ("import boto3\nclient = boto3.client('rekognition')\n", True),
        ("from transformers import pipeline\n", True),
        ("pipeline = load('transformers')\n", False),
        ("from scipy.signal import coherence\n", False),
        ("plot(together=True)\n", False),
        ("from data import download_google_url\nlanguage = 'en'\n", False),
        ("from huggingface_hub import hf_hub_download\nrun_inference()\n", False),
        ("from huggingface_hub import InferenceClient\n", True),
        ("from together import Together\n", True),
        ("base = 'https://api.together.xyz/v1'\n", True),
        ("session.client('transcribe')\n", True),
        ("def transcribe(audio):\n    return model(audio)\n", False),
        ("url = 'https://huggingface.co/kornia/ONNX_models/resolve/main/vit.onnx'\n", False),
        ("url = f'https://api-inference.huggingface.co/models/{name}'\n", True),
        ("import aioboto3\nsession.client('rekognition')\n", True),
    ],
)
def test_file_that_asks_imports_a_client_or_names_its_server(text, asks):
    assert load_catalogue().mentions(text) is asks
