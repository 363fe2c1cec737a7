import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers import catalogue
from analyzers.guest.clients.schema_messages import Schema
from analyzers.guest.search.answer_models.answer_model import weight
from analyzers.guest.search.answer_models.model_registry import MODELS, model_for
from analyzers.guest.search.answer_models.text_answers import TEXT
from analyzers.guest.search.code_constants import ConstantPool
from tests.analyzers.guest.guests import SCHEMAS

UNDESCRIBED = "azure.vision.read"
POOL = ConstantPool(["Cat", "wild cat", "12,50 €"], [r"\d{3}"], [0.7, 3.0, -0.2], 2)
SCHEMA = Schema(SCHEMAS)
VISION = "google.cloud.vision.v1.AnnotateImageResponse"
MESSAGES = {
    "google.language.analyze_sentiment": "google.cloud.language.v1.AnalyzeSentimentResponse",
    "google.language.analyze_entities": "google.cloud.language.v1.AnalyzeEntitiesResponse",
    "google.language.analyze_entity_sentiment": (
        "google.cloud.language.v1.AnalyzeEntitySentimentResponse"
    ),
    "aws.rekognition.detect_labels": "rekognition.DetectLabelsResponse",
    "aws.rekognition.detect_text": "rekognition.DetectTextResponse",
    "aws.textract.detect_document_text": "textract.DetectDocumentTextResponse",
    "aws.textract.get_document_text_detection": "textract.GetDocumentTextDetectionResponse",
    "aws.textract.analyze_document": "textract.AnalyzeDocumentResponse",
    "aws.textract.get_document_analysis": "textract.GetDocumentAnalysisResponse",
    "google.speech.streaming_recognize": "google.cloud.speech.v1.StreamingRecognizeResponse",
    "aws.comprehend.detect_sentiment": "comprehend.DetectSentimentResponse",
    "aws.comprehend.batch_detect_sentiment": "comprehend.BatchDetectSentimentItemResult",
    "azure.language.analyze_sentiment": "azure.ai.textanalytics.AnalyzeSentimentResult",
    "aws.rekognition.detect_faces": "rekognition.DetectFacesResponse",
    "azure.vision.analyze": "azure.ai.vision.imageanalysis.models.ImageAnalysisResult",
    "google.speech.recognize": "google.cloud.speech.v1.RecognizeResponse",
    "google.speech.long_running_recognize": "google.cloud.speech.v1.LongRunningRecognizeResponse",
    "openai.moderations": "openai.types.ModerationCreateResponse",
    "openai.chat_completions": "openai.types.chat.ChatCompletion",
    "openai.responses": "openai.types.responses.Response",
    "gemini.generate_content": "google.genai.types.GenerateContentResponse",
    "aws.bedrock-runtime.converse": "bedrock-runtime.ConverseResponse",
    "anthropic.messages": "anthropic.types.Message",
    "huggingface.chat_completion": "huggingface_hub.ChatCompletionOutput",
    "cohere.chat": "cohere.V2ChatResponse",
    "openai.transcriptions": "openai.types.audio.Transcription",
    "huggingface.automatic_speech_recognition": "huggingface_hub.AutomaticSpeechRecognitionOutput",
}


def checked(name, value, schema):
    """Assert that an answer has only fields of its schema, with values of their type."""
    for key, item in value.items():
        field = schema.messages[name][key]
        if item is None:  # what a library wants to be there
            continue
        items = item if field.get("repeated") else [item]
        assert isinstance(item, list) == bool(field.get("repeated"))
        for each in items:
            if field["type"] in schema.messages:
                checked(field["type"], each, schema)
            elif field["type"] == "float":
                assert isinstance(each, float)
            elif field["type"] == "string":
                assert isinstance(each, str)
            elif field["type"] in schema.enums:
                assert each in schema.enums[field["type"]]


def shape(value):
    """The fields of an answer, those of the first of several things."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return shape(value[0]) if isinstance(value, list) and value else None


def test_answer_without_a_schema_has_the_fields_of_an_everyday_one() -> None:
    (model,) = (model for api, model in MODELS if api == UNDESCRIBED)
    assert shape(model.answer("Good morning")) == shape(
        catalogue.load_catalogue().ordinary[UNDESCRIBED]
    )


@pytest.mark.parametrize(("api", "model"), [m for m in MODELS if m[0] != UNDESCRIBED])
@given(seed=st.integers(0, 2**32))
def test_answers_keep_to_the_schema(api, model, seed) -> None:
    rng = random.Random(seed)
    knobs = model.start()
    for _ in range(12):
        knobs = model.mutate(knobs, rng, POOL)
        checked(MESSAGES.get(api, VISION), model.answer(knobs), SCHEMA)


@pytest.mark.parametrize(("api", "model"), MODELS)
def test_seeds_begin_with_the_simplest(api, model) -> None:
    seeds = list(model.seeds(POOL))
    assert len(seeds) < 5000
    assert weight(seeds[0], POOL) <= min(weight(seed, POOL) for seed in seeds)


def test_empty_text_lists_nothing() -> None:
    assert TEXT.answer("") == {"text_annotations": []}
    texts = TEXT.answer("Exit now")["text_annotations"]
    assert [text["description"] for text in texts] == ["Exit now", "Exit", "now"]


def test_scores_are_in_order() -> None:
    labels = model_for({"name": "google.vision.label_detection"})
    knobs = labels.start()
    rng = random.Random(1)
    for _ in range(200):
        knobs = labels.mutate(knobs, rng, POOL)
        scores = [score for _, score in knobs]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


def test_other_lists_come_from_the_catalogue() -> None:
    entry = {
        "name": "aws.rekognition.detect_moderation_labels",
        "key": "ModerationLabels[].Name",
        "score": "ModerationLabels[].Confidence",
        "highest": 100.0,
    }
    model = model_for(entry)
    listed = [{"Name": "Drugs", "Confidence": 90.0}]
    assert model.answer((("Drugs", 90.0),)) == {"ModerationLabels": listed}


@pytest.mark.parametrize(
    ("entry", "answer"),
    [
        (
            {"name": "huggingface.text_classification", "key": "[].label", "score": "[].score"},
            {"elements": [{"label": "Drugs", "score": 0.9}]},
        ),
        (
            {
                "name": "azure.language.recognize_entities",
                "key": "[].entities[].category",
                "score": "[].entities[].confidence_score",
                "input": {"field": "documents", "kind": "text", "each": True},
            },
            {"entities": [{"category": "Drugs", "confidence_score": 0.9}]},
        ),
    ],
)
def test_bare_lists_are_asked_for_one_by_one_or_as_elements(entry, answer) -> None:
    assert model_for(entry).answer((("Drugs", 0.9),)) == answer


def test_unknown_shape_has_no_model() -> None:
    assert model_for({"name": "x.y", "key": None, "score": None}) is None


def test_objects_lie_in_different_places() -> None:
    objects = model_for({"name": "google.vision.object_localization"})
    listed = objects.answer((("Cat", 0.9), ("Dog", 0.8)))["localized_object_annotations"]
    first, second = (one["bounding_poly"]["normalized_vertices"] for one in listed)
    assert max(corner["x"] for corner in first) < min(corner["x"] for corner in second)


def test_entries_without_a_name_have_a_score_alone() -> None:
    (entry,) = catalogue.load_catalogue().as_json(["aws.rekognition.compare_faces"])
    model = model_for(entry)
    assert model is not None
    (match,) = model.answer((("anyone", 88.0),))["FaceMatches"]
    assert match["Similarity"] == 88.0
    assert "_" not in match
    assert model.answer(model.start())["FaceMatches"] == []
