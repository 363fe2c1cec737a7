"""Azure's speech and OpenAI resources, Hugging Face and Transcribe: what is sent, what is read."""

import re

import pytest
from huggingface_hub import InferenceClient

from tests.worker.engines.providers import sdks
from tests.worker.engines.providers.standin import Reply
from tests.worker.engines.providers.test_as_the_sdks import (
    CHAT,
    OUTPUT,
    RESPONSE,
    USER,
    form,
    said_alike,
)
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest, NotAsked, Outage, Rejected
from worker.engines.providers.aws import Transcribe
from worker.engines.providers.azure import AzureSpeech
from worker.engines.providers.http_client import Http
from worker.engines.providers.huggingface import HuggingFace
from worker.engines.providers.openai import AzureOpenAI

WORDS, SOUND, PICTURE = "I love this.", b"RIFF sound", b"\x89PNG pixels"
MODEL = "someone/model"


def of_azure(server):
    return AzureOpenAI("azure.openai", server.url, lambda: sdks.KEY)


def test_deployment_of_azure_is_asked_as_its_sdk_asks(stand_in):
    server = stand_in(Reply(CHAT))
    read = sdks.azure_openai(server.url).chat.completions.create(model="mine", messages=USER)
    request = ApiRequest(text=WORDS, parameters={"model": "mine"})
    answer = validated_answer(
        "openai.chat_completions", of_azure(server).ask("openai.chat_completions", request)
    )
    theirs, ours = server.asked
    assert ours.path == theirs.path == "/openai/deployments/mine/chat/completions"
    assert (ours.query, ours.json) == (theirs.query, theirs.json)
    assert ours.headers["api-key"] == theirs.headers["api-key"] == sdks.KEY
    assert "authorization" not in ours.headers
    assert said_alike(answer, read)


def test_azure_hears_as_its_sdk_does(stand_in):
    server = stand_in(Reply({"text": "call the fire brigade"}))
    sdks.azure_openai(server.url).audio.transcriptions.create(
        model="mine", file=("sound.wav", SOUND), response_format="json"
    )
    answer = of_azure(server).ask(
        "openai.transcriptions", ApiRequest(SOUND, parameters={"model": "mine"})
    )
    theirs, ours = server.asked
    assert (ours.path, ours.query) == (theirs.path, theirs.query)
    assert form(ours) == form(theirs)
    assert answer == {"text": "call the fire brigade"}


def test_responses_of_azure_have_an_address_of_their_own(stand_in):
    server = stand_in(Reply(RESPONSE))
    answer = of_azure(server).ask(
        "openai.responses", ApiRequest(text=WORDS, parameters={"model": "m"})
    )
    assert (server.asked[0].path, server.asked[0].query) == ("/openai/v1/responses", {})
    assert server.asked[0].json["store"] is False
    assert answer["output"] == [OUTPUT]


@pytest.mark.parametrize(
    ("task", "model", "reason"),
    [
        ("moderations", "m", "has no moderations"),
        ("chat_completions", "../m", "name of a deployment"),
        ("chat_completions", None, "name of a deployment"),
    ],
)
def test_azure_is_not_asked_what_it_has_not(stand_in, task, model, reason):
    server = stand_in(Reply(CHAT))
    with pytest.raises(NotAsked, match=reason):
        of_azure(server).ask(f"openai.{task}", ApiRequest(text="?", parameters={"model": model}))
    assert server.asked == []


GOOD = [{"label": "POSITIVE", "score": 0.75}, {"label": "NEGATIVE", "score": 0.25}]
CAT = [{"label": "cat", "score": 0.5, "box": {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}}]
ADA = [{"entity_group": "PER", "word": "Ada", "score": 0.5, "start": 0, "end": 3}]
ZERO = [{"label": "bill", "score": 0.75}, {"label": "letter", "score": 0.25}]
LABELS = {"candidate_labels": ["bill", "letter"], "multi_label": False}
HUGGING = [
    ("text_classification", (WORDS,), {}, ApiRequest(text=WORDS), [GOOD], GOOD),
    ("text_classification", (WORDS,), {"top_k": 2}, ApiRequest(text=WORDS), [GOOD], GOOD),
    ("zero_shot_classification", (WORDS,), LABELS, ApiRequest(text=WORDS), ZERO, ZERO),
    ("token_classification", (WORDS,), {}, ApiRequest(text=WORDS), ADA, ADA),
    ("image_classification", (PICTURE,), {}, ApiRequest(PICTURE), GOOD, GOOD),
    ("image_classification", (PICTURE,), {"top_k": 2}, ApiRequest(PICTURE), GOOD, GOOD),
    ("object_detection", (PICTURE,), {"threshold": 0.5}, ApiRequest(PICTURE), CAT, CAT),
    ("automatic_speech_recognition", (SOUND,), {}, ApiRequest(SOUND), {"text": "fire"}, None),
]


@pytest.mark.parametrize(("task", "given", "options", "request_", "wire", "elements"), HUGGING)
def test_model_is_asked_as_the_inference_client_asks(
    stand_in, task, given, options, request_, wire, elements
):
    server = stand_in(Reply(wire))
    read = getattr(sdks.huggingface(server.url, MODEL), task)(*given, **options)
    asked = ApiRequest(request_.content, request_.text, parameters={"model": MODEL, **options})
    engine = HuggingFace(endpoint=server.url, credentials=lambda: sdks.KEY)
    answer = validated_answer(f"huggingface.{task}", engine.ask(f"huggingface.{task}", asked))
    theirs, ours = server.asked
    assert ours.path == theirs.path == f"/models/{MODEL}"
    assert ours.headers["authorization"] == theirs.headers["authorization"]
    assert _body(ours) == _body(theirs)
    assert answer == ({"elements": elements} if elements else wire)
    assert said_alike(answer["elements"] if elements else answer, read)


def _body(asked):
    """What is asked: a file as it is, or JSON without parameters that say nothing."""
    if not asked.body.startswith(b"{"):
        return asked.body
    return {name: value for name, value in asked.json.items() if value != {}}


def test_conversation_is_held_as_the_inference_client_holds_it(stand_in):
    server = stand_in(Reply(CHAT))
    client = InferenceClient(base_url=f"{server.url}/models/{MODEL}", token=sdks.KEY)
    read = client.chat_completion(USER)
    request = ApiRequest(text=WORDS, parameters={"model": MODEL})
    answer = HuggingFace(endpoint=server.url).ask("huggingface.chat_completion", request)
    theirs, ours = server.asked
    assert ours.path == theirs.path == f"/models/{MODEL}/v1/chat/completions"
    assert ours.json["messages"] == theirs.json["messages"]
    assert answer["choices"][0]["message"]["content"] == read.choices[0].message.content


def test_columns_are_read_as_rows(stand_in):
    wire = {"sequence": WORDS, "labels": ["bill", "letter"], "scores": [0.75, 0.25]}
    engine = HuggingFace(endpoint=stand_in(Reply(wire)).url)
    request = ApiRequest(text=WORDS, parameters=LABELS)
    assert engine.ask("huggingface.zero_shot_classification", request) == {"elements": ZERO}


def test_pipeline_without_a_model_has_its_default(stand_in):
    server = stand_in(Reply([GOOD]))
    engine = HuggingFace(endpoint=server.url)
    engine.ask("huggingface.text_classification", ApiRequest(text=WORDS))
    (asked,) = server.asked
    assert asked.path.endswith("/distilbert/distilbert-base-uncased-finetuned-sst-2-english")


@pytest.mark.parametrize("model", ["a/../b", "http://thief.example/m", "a/b/c", "./x"])
def test_model_of_no_name_is_not_asked(stand_in, model):
    server = stand_in(Reply([GOOD]))
    with pytest.raises(NotAsked, match="no model that has a name"):
        HuggingFace(endpoint=server.url).ask(
            "huggingface.text_generation", ApiRequest(text="?", parameters={"model": model})
        )
    assert server.asked == []


HEARD = {
    "RecognitionStatus": "Success",
    "Offset": 1_000_000,
    "Duration": 14_000_000,
    "DisplayText": "Call the fire brigade.",
    "NBest": [{"Confidence": 0.75, "Lexical": "call the fire brigade", "Display": "Call."}],
}


def test_short_sound_is_sent_as_azures_rest_has_it(stand_in):
    server = stand_in(Reply(HEARD))
    engine = AzureSpeech("azure.speech", server.url, lambda: sdks.KEY)
    api = "azure.speech.recognize_once"
    assert (
        validated_answer(api, engine.ask(api, ApiRequest(SOUND, parameters={"language": "de-DE"})))
        == HEARD
    )
    (asked,) = server.asked
    assert (asked.method, asked.body) == ("POST", SOUND)
    assert asked.path == "/speech/recognition/conversation/cognitiveservices/v1"
    assert asked.query == {"language": ["de-DE"], "format": ["detailed"]}
    assert asked.headers["ocp-apim-subscription-key"] == sdks.KEY
    assert asked.headers["content-type"].startswith("audio/wav; codecs=audio/pcm")


def test_silence_is_an_answer_and_an_error_of_azures_is_none(stand_in):
    server = stand_in(
        Reply({"RecognitionStatus": "NoMatch"}), Reply({"RecognitionStatus": "Error"})
    )
    engine = AzureSpeech("azure.speech", server.url)
    assert engine.ask("azure.speech.recognize_once", ApiRequest(SOUND)) == {
        "RecognitionStatus": "NoMatch"
    }
    with pytest.raises(Outage, match=r"azure\.speech failed: Error"):
        engine.ask("azure.speech.recognize_once", ApiRequest(SOUND))


def test_sound_of_another_format_is_not_sent(stand_in):
    server = stand_in(Reply(HEARD))
    with pytest.raises(NotAsked, match="WAV and Ogg"):
        AzureSpeech("azure.speech", server.url).ask(
            "azure.speech.recognize_once", ApiRequest(b"ID3")
        )
    assert server.asked == []


def job(status):
    uri = "https://s3.eu-central-1.amazonaws.com/mine/call.json"
    done = {"Transcript": {"TranscriptFileUri": uri}} if status == "COMPLETED" else {}
    return Reply(
        {
            "TranscriptionJob": {
                "TranscriptionJobName": "call",
                "TranscriptionJobStatus": status,
                **done,
            }
        }
    )


def transcribe(server, waits, **more):
    keys = lambda: f"{sdks.KEY_ID}:{sdks.SECRET}"  # noqa: E731
    http = Http("AWS", waits.append)
    return Transcribe("aws.transcribe", server.url, keys, http, True, sdks.REGION, **more)


def begun(server, waits, **more):
    """The service, where the job ``call`` was begun."""
    engine = transcribe(server, waits, **more)
    engine.ask(START, ApiRequest(uri="s3://mine/call.wav", parameters=ASKED))
    server.asked.clear()
    return engine


START, GET = "aws.transcribe.start_transcription_job", "aws.transcribe.get_transcription_job"
ASKED = {"TranscriptionJobName": "call", "LanguageCode": "en-US", "MediaFormat": "wav"}


def test_job_is_begun_signed_with_its_place_in_s3(stand_in):
    server = stand_in(job("IN_PROGRESS"))
    answer = transcribe(server, []).ask(
        START, ApiRequest(uri="s3://mine/call.wav", parameters=ASKED)
    )
    assert (
        validated_answer(START, answer)["TranscriptionJob"]["TranscriptionJobStatus"]
        == "IN_PROGRESS"
    )
    (asked,) = server.asked
    assert asked.headers["x-amz-target"] == "Transcribe.StartTranscriptionJob"
    assert asked.headers["content-type"] == "application/x-amz-json-1.1"
    assert asked.json == {**ASKED, "Media": {"MediaFileUri": "s3://mine/call.wav"}}
    scope = (
        rf"AWS4-HMAC-SHA256 Credential={sdks.KEY_ID}/\d{{8}}/{sdks.REGION}/transcribe/aws4_request"
    )
    assert re.match(scope, asked.headers["authorization"])


def test_job_is_waited_for(stand_in):
    waits = []
    server = stand_in(job("QUEUED"), job("QUEUED"), job("IN_PROGRESS"), job("COMPLETED"))
    answer = begun(server, waits).ask(GET, ApiRequest(uri="call"))
    assert answer["TranscriptionJob"]["TranscriptionJobStatus"] == "COMPLETED"
    assert [asked.json for asked in server.asked] == [{"TranscriptionJobName": "call"}] * 3
    assert waits == [5.0, 5.0]


def test_job_is_not_waited_for_without_end(stand_in):
    waits = []
    server = stand_in(job("IN_PROGRESS"))
    with pytest.raises(Outage, match="did not finish the job in 15 s"):
        begun(server, waits, polls=3).ask(GET, ApiRequest(uri="call"))
    assert (len(server.asked), waits) == (3, [5.0, 5.0])


def test_failed_job_is_an_answer(stand_in):
    server = stand_in(job("FAILED"))
    answer = begun(server, []).ask(GET, ApiRequest(uri="call"))
    assert answer["TranscriptionJob"]["TranscriptionJobStatus"] == "FAILED"


def test_jobs_that_others_have_begun_are_not_asked_for(stand_in):
    server = stand_in(job("COMPLETED"))
    engine = begun(server, [])
    with pytest.raises(NotAsked, match="no job but those that the code has begun"):
        engine.ask(GET, ApiRequest(uri="board-meeting"))
    assert server.asked == []


@pytest.mark.parametrize(
    ("uris", "uri", "reason"),
    [
        (False, "s3://mine/call.wav", r'\[engines."aws.transcribe"\] uris = true'),
        (True, "https://thief.example/call.wav", "s3://BUCKET/NAME only"),
    ],
)
def test_sound_elsewhere_is_not_fetched(stand_in, uris, uri, reason):
    server = stand_in(job("QUEUED"))
    engine = Transcribe("aws.transcribe", server.url, uris=uris)
    with pytest.raises(NotAsked, match=reason):
        engine.ask(START, ApiRequest(uri=uri, parameters=ASKED))
    assert server.asked == []


def test_fault_of_the_question_is_told_apart(stand_in):
    server = stand_in(
        job("QUEUED"), Reply({"__type": "x#BadRequestException", "Message": "no such job"}, 400)
    )
    engine = begun(server, [])
    with pytest.raises((Rejected, Outage)):
        engine.ask(GET, ApiRequest(uri="call"))
    assert len(server.asked) == 1
