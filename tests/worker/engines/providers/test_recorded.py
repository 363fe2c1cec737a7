"""Published answers: the SDK's own class and the engine read the same in them."""

import json
from pathlib import Path

import pytest
from botocore.parsers import create_parser
from google.cloud import language, speech, vision
from google.protobuf import json_format

from analyzers.catalogue import load_catalogue
from analyzers.catalogue.canonical_answers import values_at
from tests.worker.engines.providers import sdks
from tests.worker.engines.providers.standin import Reply
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest
from worker.engines.providers.aws import Aws, Transcribe
from worker.engines.providers.azure import Azure
from worker.engines.providers.google import Google
from worker.engines.providers.huggingface import HuggingFace

FOLDER = Path(__file__).parent / "recorded"
NAMES = sorted(file.stem for file in FOLDER.glob("*.json"))
SOURCES = (FOLDER / "SOURCES.md").read_text("utf-8")
SOUND, PICTURE, WORDS, MODEL = b"RIFF sound", b"\x89PNG pixels", "Some words.", "someone/model"
CATALOGUE = load_catalogue()
MESSAGES = {
    "google.vision": vision.AnnotateImageResponse,
    "google.speech.recognize": speech.RecognizeResponse,
    "google.language.analyze_entities": language.AnalyzeEntitiesResponse,
    "google.language.analyze_sentiment": language.AnalyzeSentimentResponse,
}


def recorded(name):
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def request_of(name, **parameters):
    """A question of the API: what it is about does not matter here."""
    kind = CATALOGUE[name].input.kind
    if name.startswith("aws.transcribe"):
        return ApiRequest(uri="s3://mine/call.wav", parameters=parameters)
    content = {"image": PICTURE, "audio": SOUND}.get(kind)
    return ApiRequest(content, None if content else WORDS, parameters=parameters)


def asked(name, server):
    """What our engine makes of the answer."""
    provider = CATALOGUE[name].provider
    if provider.startswith("google"):
        engine, request = Google(provider, server.url), request_of(name)
    elif provider == "huggingface":
        engine = HuggingFace(endpoint=server.url)
        request = request_of(name, model=MODEL)
    elif provider.startswith("azure"):
        engine, request = Azure(provider, server.url), request_of(name)
    else:
        request = request_of(name)
        engine = Aws(provider, server.url, uris=True)
        if provider == "aws.transcribe":
            engine = Transcribe(provider, server.url, uris=True, begun={request.uri})
    return validated_answer(name, engine.ask(name, request))


def read_by_google(name, wire):
    kind = MESSAGES.get(name) or MESSAGES["google.vision"]
    body = wire["responses"][0] if "responses" in wire else wire
    message = json_format.ParseDict(body, kind.pb(kind()))
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def read_by_boto(name, url):
    _, service, operation = name.split(".")
    client = sdks.aws(service, url)
    given = {
        "rekognition": {"Image": {"Bytes": PICTURE}},
        "comprehend": {"Text": WORDS, "LanguageCode": "en"},
        "textract": {"Document": {"Bytes": PICTURE}, "FeatureTypes": ["TABLES"]},
    }[service]
    known = client.meta.service_model.operation_model(client.meta.method_to_api_mapping[operation])
    arguments = {key: given[key] for key in given if key in known.input_shape.members}
    read = getattr(client, operation)(**arguments)
    read.pop("ResponseMetadata")
    return read


def read_by_botos_parser(name, wire):
    """An answer in JSON 1.1, where the client itself asks for another format."""
    _, service, operation = name.split(".")
    client = sdks.aws(service, "http://127.0.0.1:1")
    known = client.meta.service_model.operation_model(client.meta.method_to_api_mapping[operation])
    reply = {"body": json.dumps(wire).encode(), "headers": {}, "status_code": 200}
    return create_parser("json").parse(reply, known.output_shape)


def read_by_huggingface(name, url):
    task = name.rpartition(".")[2]
    given = request_of(name)
    more = {"candidate_labels": ["a"]} if task.startswith("zero") else {}
    value = [{"role": "user", "content": WORDS}] if task.startswith("chat") else given.text
    read = getattr(sdks.huggingface(url, MODEL), task)(given.content or value, **more)
    return {"elements": [dict(each) for each in read]} if isinstance(read, list) else dict(read)


def plain(value):
    """An Azure model as the attributes that it has."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if hasattr(value, "keys") and hasattr(value, "__dict__"):
        return {key: plain(each) for key, each in vars(value).items()}
    return value


def read_by_sdk(name, server, wire):
    provider = CATALOGUE[name].provider
    if provider.startswith("google"):
        return read_by_google(name, wire)
    if provider == "huggingface":
        return read_by_huggingface(name, server.url)
    if provider.startswith("azure"):
        client = sdks.azure(provider, server.url)
        return plain(getattr(client, name.rpartition(".")[2])([WORDS])[0])
    if provider == "aws.transcribe":
        return read_by_botos_parser(name, wire)
    return read_by_boto(name, server.url)


def said(name, answer):
    """What stands where the API says something, and where its results are named."""
    api = CATALOGUE[name]
    listed = api.result.startswith("[]")
    key = api.key and (f"elements{api.key}" if listed else api.key.removeprefix("[]."))
    paths = [path for meaning in api.says for path in meaning.at]
    return [values_at(answer, path) for path in (*paths, *filter(None, [key]))]


@pytest.mark.parametrize("name", NAMES)
def test_engine_reads_what_the_sdk_reads(stand_in, name):
    wire = recorded(name)["wire"]
    server = stand_in(Reply(wire))
    ours, theirs = asked(name, server), read_by_sdk(name, server, wire)
    heard = said(name, ours)
    assert any(heard)
    if name == "google.language.analyze_sentiment":
        assert heard == [[pytest.approx(value) for value in found] for found in said(name, theirs)]
    else:
        assert heard == said(name, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_answer_has_a_source_with_a_licence(name):
    source = recorded(name)["source"]
    distribution, version = source.partition(":")[0].split(" ")
    assert distribution in SOURCES
    assert version in SOURCES


def test_every_big_provider_has_recorded_answers():
    services = {".".join(name.split(".")[:2]) for name in NAMES if not name.startswith("hugging")}
    assert services >= {"google.vision", "google.language", "google.speech"}
    assert services >= {"aws.rekognition", "aws.comprehend", "aws.textract", "aws.transcribe"}
    assert services >= {"azure.language"}
