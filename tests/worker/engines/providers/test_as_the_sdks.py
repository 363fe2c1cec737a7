"""Engines speak to a server as the provider's SDK does, and read the same in its answer."""

import pytest
from google.cloud import speech
from google.protobuf import json_format

from tests.worker.engines.providers import sdks
from tests.worker.engines.providers.standin import Reply
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest
from worker.engines.providers.aws import Aws
from worker.engines.providers.azure import KINDS, Azure
from worker.engines.providers.google import Google
from worker.engines.providers.openai import OpenAI

LABEL = {
    "Name": "Fire",
    "Confidence": 98.5,
    "Instances": [{"BoundingBox": {"Left": 0.1}, "Confidence": 1.0}],
    "Parents": [{"Name": "Flame"}],
}
MOOD = {
    "Sentiment": "POSITIVE",
    "SentimentScore": {"Positive": 0.9, "Negative": 0.0, "Neutral": 0.1, "Mixed": 0.0},
}
LINE = {"BlockType": "LINE", "Text": "TOTAL", "Confidence": 99.0, "Id": "1"}
PICTURE, WORDS = ApiRequest(b"\x89PNG pixels"), "I love this."
ENGLISH = {"LanguageCode": "en"}

AWS = [
    (
        "aws.rekognition.detect_labels",
        {"Image": {"Bytes": PICTURE.content}, "MaxLabels": 5},
        ApiRequest(PICTURE.content, parameters={"MaxLabels": 5}),
        {"Labels": [LABEL], "LabelModelVersion": "3.0"},
        None,
    ),
    (
        "aws.rekognition.detect_faces",
        {"Image": {"Bytes": PICTURE.content}, "Attributes": ["ALL"]},
        ApiRequest(PICTURE.content, parameters={"Attributes": ["ALL"]}),
        {"FaceDetails": [{"Emotions": [{"Type": "HAPPY", "Confidence": 99.0}]}]},
        None,
    ),
    (
        "aws.comprehend.detect_sentiment",
        {"Text": WORDS, **ENGLISH},
        ApiRequest(text=WORDS, parameters=ENGLISH),
        MOOD,
        None,
    ),
    (
        "aws.comprehend.batch_detect_sentiment",
        {"TextList": [WORDS], **ENGLISH},
        ApiRequest(text=WORDS, parameters=ENGLISH),
        {"ResultList": [{"Index": 0, **MOOD}], "ErrorList": []},
        MOOD,
    ),
    (
        "aws.comprehend.detect_toxic_content",
        {"TextSegments": [{"Text": WORDS}], **ENGLISH},
        ApiRequest(text=WORDS, parameters=ENGLISH),
        {"ResultList": [{"Labels": [{"Name": "INSULT", "Score": 0.25}], "Toxicity": 0.5}]},
        {"Labels": [{"Name": "INSULT", "Score": 0.25}], "Toxicity": 0.5},
    ),
    (
        "aws.textract.detect_document_text",
        {"Document": {"Bytes": PICTURE.content}},
        PICTURE,
        {"Blocks": [LINE], "DocumentMetadata": {"Pages": 1}},
        None,
    ),
    (
        "aws.textract.analyze_id",
        {"DocumentPages": [{"Bytes": PICTURE.content}]},
        PICTURE,
        {"IdentityDocuments": [{"DocumentIndex": 1, "Blocks": [LINE]}]},
        {"DocumentIndex": 1, "Blocks": [LINE]},
    ),
]


@pytest.mark.parametrize(("api", "arguments", "request_", "wire", "element"), AWS)
def test_aws(stand_in, api, arguments, request_, wire, element):
    server = stand_in(Reply(wire))
    _, service, operation = api.split(".")
    read = getattr(sdks.aws(service, server.url), operation)(**arguments)
    engine = Aws(f"aws.{service}", server.url, credentials, region=sdks.REGION)
    answer = validated_answer(api, engine.ask(api, request_))
    theirs, ours = server.asked
    assert (ours.method, ours.path, ours.query) == (theirs.method, theirs.path, theirs.query)
    assert ours.json == theirs.json
    for name in ("host", "content-type", "x-amz-target"):
        assert ours.headers[name] == theirs.headers[name]
    read.pop("ResponseMetadata")
    assert read == wire
    assert answer == (element or read)


def credentials():
    return f"{sdks.KEY_ID}:{sdks.SECRET}"


def documents(**document):
    results = {"documents": [{"id": "0", "warnings": [], **document}], "errors": []}
    return {**results, "modelVersion": "1"}


SCORES = {"positive": 0.9, "neutral": 0.1, "negative": 0.0}
ADA = {"text": "Ada", "category": "Person", "offset": 0, "length": 3, "confidenceScore": 0.9}
LINK = {
    "name": "Rome",
    "matches": [{"text": "Rome", "offset": 0, "length": 4, "confidenceScore": 0.5}],
    "language": "en",
    "id": "Rome",
    "url": "https://en.wikipedia.org/wiki/Rome",
    "dataSource": "Wikipedia",
    "bingId": "b1",
}
SENTENCE = {
    "text": WORDS,
    "sentiment": "positive",
    "confidenceScores": SCORES,
    "offset": 0,
    "length": 12,
}
LANGUAGE = [
    (
        "analyze_sentiment",
        documents(sentiment="positive", confidenceScores=SCORES, sentences=[SENTENCE]),
    ),
    ("recognize_entities", documents(entities=[ADA])),
    ("recognize_pii_entities", documents(redactedText="***", entities=[ADA])),
    ("recognize_linked_entities", documents(entities=[LINK])),
    ("extract_key_phrases", documents(keyPhrases=["love"])),
    (
        "detect_language",
        documents(detectedLanguage={"name": "English", "iso6391Name": "en", "confidenceScore": 1}),
    ),
]


@pytest.mark.parametrize(("task", "wire"), LANGUAGE)
def test_azure_language(stand_in, task, wire):
    server = stand_in(Reply({"kind": f"{KINDS[task]}Results", "results": wire}))
    (read,) = getattr(sdks.azure("azure.language", server.url), task)([WORDS])
    language = "US" if task == "detect_language" else "en"
    request = ApiRequest(text=WORDS, parameters={"language": language})
    api = f"azure.language.{task}"
    engine = Azure("azure.language", server.url, lambda: sdks.KEY)
    answer = validated_answer(api, engine.ask(api, request))
    assert asked_alike(server)
    assert answer
    assert said_alike(answer, read)


def asked_alike(server):
    """What both asked of Azure, but for the name of the client."""
    seen = [
        (
            asked.method,
            asked.path,
            asked.query,
            asked.headers["content-type"].partition(";")[0],
            asked.headers["ocp-apim-subscription-key"],
            asked.body if b"{" not in asked.body else asked.json,
        )
        for asked in server.asked
    ]
    assert seen[0] == seen[1]
    return True


def said_alike(ours, theirs):
    """Whether each field of an answer has the value of the SDK's attribute of that name."""
    if isinstance(ours, dict):
        return all(said_alike(value, getattr(theirs, key)) for key, value in ours.items())
    if isinstance(ours, list):
        assert len(ours) == len(theirs)
        return all(map(said_alike, ours, theirs))
    assert ours == theirs
    return True


BOX = {"x": 1, "y": 2, "w": 3, "h": 4}
POLYGON = [{"x": 1, "y": 1}, {"x": 9, "y": 1}, {"x": 9, "y": 5}, {"x": 1, "y": 5}]
WORD = {"text": "EXIT", "boundingPolygon": POLYGON, "confidence": 0.9}
SEEN = {
    "modelVersion": "2023-10-01",
    "metadata": {"width": 10, "height": 20},
    "tagsResult": {"values": [{"name": "fire", "confidence": 0.9}]},
    "captionResult": {"text": "a fire", "confidence": 0.8},
    "denseCaptionsResult": {"values": [{"text": "a fire", "confidence": 0.7, "boundingBox": BOX}]},
    "objectsResult": {
        "values": [{"boundingBox": BOX, "tags": [{"name": "log", "confidence": 0.5}]}]
    },
    "readResult": {
        "blocks": [{"lines": [{"text": "EXIT", "boundingPolygon": POLYGON, "words": [WORD]}]}]
    },
}


def test_azure_vision(stand_in):
    server = stand_in(Reply(SEEN))
    features = ["caption", "denseCaptions", "objects", "read", "smartCrops", "tags"]
    read = sdks.azure("azure.vision", server.url).analyze(
        PICTURE.content,
        visual_features=features,
        smart_crops_aspect_ratios=[0.9, 1.5],
        gender_neutral_caption=True,
    )
    asked = ["caption", "dense_captions", "objects", "read", "smart_crops", "tags"]
    parameters = {"features": asked, "smart_crops_aspect_ratios": [0.9, 1.5]}
    request = ApiRequest(PICTURE.content, parameters={**parameters, "gender_neutral_caption": True})
    engine = Azure("azure.vision", server.url, lambda: sdks.KEY)
    answer = validated_answer("azure.vision.analyze", engine.ask("azure.vision.analyze", request))
    assert asked_alike(server)
    assert answer["tags"] == {"list": [{"name": "fire", "confidence": 0.9}]}
    assert said_alike(answer, read)


USER = [{"role": "user", "content": WORDS}]
CHOICE = {
    "index": 0,
    "finish_reason": "stop",
    "message": {"role": "assistant", "content": "yes"},
}
CHAT = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [CHOICE]}
OUTPUT = {
    "type": "message",
    "id": "m",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "yes", "annotations": []}],
}
RESPONSE = {"id": "r", "object": "response", "created_at": 1.0, "model": "m", "output": [OUTPUT]}
MODERATION = {
    "id": "x",
    "model": "m",
    "results": [
        {
            "flagged": True,
            "categories": {"self-harm/intent": True, "violence": False},
            "category_scores": {"self-harm/intent": 0.5, "violence": 0.25},
        }
    ],
}
SHAPE = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
OPENAI = [
    (
        "chat_completions",
        lambda c: c.chat.completions.create(model="m", messages=USER, response_format=SHAPE),
        ApiRequest(text=WORDS, parameters={"model": "m", "response_format": SHAPE}),
        CHAT,
    ),
    (
        "chat_completions",
        lambda c: c.chat.completions.create(model="m", messages=[*USER, *USER]),
        ApiRequest(text=WORDS, parameters={"model": "m", "messages": [*USER, *USER]}),
        CHAT,
    ),
    (
        "responses",
        lambda c: c.responses.create(model="m", input=WORDS, store=False),
        ApiRequest(text=WORDS, parameters={"model": "m"}),
        RESPONSE,
    ),
    (
        "moderations",
        lambda c: c.moderations.create(model="m", input=WORDS),
        ApiRequest(text=WORDS, parameters={"model": "m"}),
        MODERATION,
    ),
]


@pytest.mark.parametrize(("task", "call", "request_", "wire"), OPENAI)
def test_openai(stand_in, task, call, request_, wire):
    server = stand_in(Reply(wire))
    read = call(sdks.openai(server.url))
    engine = OpenAI(endpoint=server.url, credentials=lambda: sdks.KEY)
    answer = validated_answer(f"openai.{task}", engine.ask(f"openai.{task}", request_))
    theirs, ours = server.asked
    assert (ours.path, ours.json) == (theirs.path, theirs.json)
    assert ours.headers["authorization"] == theirs.headers["authorization"] == f"Bearer {sdks.KEY}"
    assert said_alike(answer, read)


def test_openai_transcription(stand_in):
    server = stand_in(Reply({"text": "call the fire brigade"}))
    sound = b"RIFF sound"
    read = sdks.openai(server.url).audio.transcriptions.create(
        model="whisper-1", file=("sound.wav", sound), response_format="json"
    )
    request = ApiRequest(sound, parameters={"model": "whisper-1", "response_format": "text"})
    answer = OpenAI(endpoint=server.url).ask("openai.transcriptions", request)
    theirs, ours = map(form, server.asked)
    assert ours == theirs
    assert answer == {"text": read.text}


def form(asked):
    """The parts of a form by name: file name and content."""
    mark = asked.headers["content-type"].partition("boundary=")[2].encode()
    parts = {}
    for part in asked.body.split(b"--" + mark)[1:-1]:
        head, _, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
        words = head.replace(b"\r\n", b"; ").split(b"; ")
        names = tuple(word for word in words if word.startswith((b"name=", b"filename=")))
        parts[names] = content
    return parts


HEARD = {
    "results": [
        {
            "alternatives": [
                {
                    "transcript": "call the fire brigade",
                    "confidence": 0.75,
                    "words": [{"startTime": "0s", "endTime": "0.500s", "word": "call"}],
                }
            ],
            "resultEndTime": "1.500s",
            "languageCode": "en-us",
        }
    ],
    "totalBilledTime": "15s",
    "requestId": "123",
}


def test_google_speech(stand_in):
    server = stand_in(Reply(HEARD))
    given = {
        "encoding": "LINEAR16",
        "sample_rate_hertz": 16_000,
        "language_code": "en-US",
        "enable_word_time_offsets": True,
        "speech_contexts": [{"phrases": ["fire brigade"], "boost": 2}],
    }
    audio = speech.RecognitionAudio(content=b"sound")
    read = sdks.google_speech(server.url).recognize(
        config=speech.RecognitionConfig(given), audio=audio
    )
    engine = Google("google.speech", server.url)
    answer = engine.ask("google.speech.recognize", ApiRequest(b"sound", parameters=given))
    validated_answer("google.speech.recognize", answer)
    theirs, ours = server.asked
    assert ours.path == theirs.path == "/v1/speech:recognize"
    assert recognition(ours.body) == recognition(theirs.body)
    parsed = json_format.ParseDict(answer, speech.RecognizeResponse.pb(speech.RecognizeResponse()))
    assert parsed == speech.RecognizeResponse.pb(read)
    assert parsed.results[0].alternatives[0].words[0].word == "call"


def recognition(body):
    return json_format.Parse(body, speech.RecognizeRequest.pb(speech.RecognizeRequest()))


def test_google_speech_of_version_2_is_asked_of_version_1(stand_in):
    server = stand_in(Reply({}))
    decoding = {"encoding": "LINEAR16", "sample_rate_hertz": 16_000}
    given = {"explicit_decoding_config": decoding, "features": {"max_alternatives": 2}}
    request = ApiRequest(b"sound", parameters={**given, "language_code": "en-US", "model": "short"})
    Google("google.speech", server.url).ask("google.speech.recognize", request)
    assert server.asked[0].json["config"] == {
        "encoding": "LINEAR16",
        "sampleRateHertz": 16_000,
        "maxAlternatives": 2,
        "languageCode": "en-US",
        "model": "short",
    }
