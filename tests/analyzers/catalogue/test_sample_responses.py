"""Everyday answers: they have what a real answer has, and so has whatever the search makes up."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from botocore.model import ServiceModel
from botocore.session import get_session

from analyzers.catalogue import load_catalogue
from analyzers.catalogue.canonical_answers import values_at
from analyzers.cloud.api_answers import meaning_of, reading_of, said, saying
from analyzers.guest.clients.described_apis import DescribedApis
from analyzers.guest.clients.schema_fitting import fitted
from analyzers.guest.clients.schema_messages import Schema
from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.answer_models.model_registry import model_for
from analyzers.guest.search.code_constants import ConstantPool
from analyzers.guest.search.search_campaign import CatalogueModels
from tests.analyzers.guest.guests import SCHEMAS

CATALOGUE = load_catalogue()
ORDINARY = sorted(CATALOGUE.ordinary)
DICTIONARIES = [name for name in ORDINARY if name.startswith(("aws.", "huggingface."))]
OLDER = json.loads((Path(__file__).parent / "cognitive_services.json").read_text())
SCHEMA = Schema({**SCHEMAS, "azure_cognitive_services": OLDER})
POOL = ConstantPool(["Cat", "wild cat"], [], [0.7, 90.0], 2)
# what real answers leave out as well; what is asked for beside the rest
OPTIONAL = {
    "BlockReferences", "ColumnIndex", "ColumnSpan", "Confidence", "Description", "EntityTypes",
    "GeoLocation", "ImageProperties", "OrientationCorrection", "ParentId", "Query",
    "Relationships", "RowIndex", "RowSpan", "SelectionStatus", "Text", "TextType", "Page",
    "Blocks", "DocumentMetadata", "DocumentType", "Errors", "chunks", "Index",
    "HumanLoopActivationOutput", "ProjectVersion", "UserId",
    "SourceImageOrientationCorrection", "TargetImageOrientationCorrection",
    "entity", "image_to_text_output_generated_text",
    "additionalModelResponseFields", "audio", "cacheDetails", "cachePoint", "cacheReadInputTokens",
    "cacheWriteInputTokens", "citationsContent", "document", "guardContent", "image",
    "performanceConfig", "reasoningContent", "searchResult", "serviceTier", "toolAddition",
    "toolRemoval", "toolResult", "toolUse", "trace", "video",
    "details", "logprobs", "reasoning", "tool_call_id", "tool_calls",
    "JobTag", "NextToken", "StatusMessage", "Version", "Warnings", "Currency", "GroupProperties",
    "NormalizedValue", "CompletionTime", "ContentRedaction", "FailureReason", "Transcript",
    "IdentifiedLanguageScore", "IdentifyLanguage", "IdentifyMultipleLanguages",
    "JobExecutionSettings", "LanguageCodes", "LanguageIdSettings", "LanguageOptions",
    "MaxAlternatives", "MaxSpeakerLabels", "ModelSettings", "RedactedMediaFileUri",
    "RedactedTranscriptFileUri", "ShowSpeakerLabels", "Subtitles", "ToxicityDetection",
    "VocabularyFilterMethod", "VocabularyFilterName", "VocabularyName",
    "bounding_regions", "caption", "confidence", "content", "hint", "id", "kind", "parent",
    "persisted_face_id", "role", "spans", "statistics", "subcategory", "type",
}  # fmt: skip


def described(name):
    (entry,) = CATALOGUE.as_json([name])
    shaped = DescribedApis([entry], SCHEMA).shape(entry)
    return entry, *shaped


def lacks(message, answer, place=""):
    """The fields of a schema that an answer has not, by place."""
    for field, kind in SCHEMA.messages[message].items():
        value, at = answer.get(field), f"{place}.{field}"
        if value is None:
            yield at
        elif kind["type"] in SCHEMA.messages:
            for each in value if kind.get("repeated") else [value]:
                yield from lacks(kind["type"], each, at)


def test_every_described_api_has_an_everyday_answer():
    assert CATALOGUE.ordinary.keys() == CATALOGUE.apis.keys()


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_answer_fits_its_schema(name):
    _, message, listed = described(name)
    answer = CATALOGUE.ordinary[name]
    assert message in SCHEMA.messages
    for each in answer["elements"] if listed else [answer]:
        assert fitted(SCHEMA, message, each) == each


@pytest.mark.parametrize(
    "name", [*DICTIONARIES, *(name for name in ORDINARY if name.startswith("azure."))]
)
def test_ordinary_answer_has_every_field_of_its_schema(name):
    _, message, listed = described(name)
    answer = CATALOGUE.ordinary[name]
    for each in answer["elements"] if listed else [answer]:
        left_out = {place.rpartition(".")[2] for place in lacks(message, each)} - OPTIONAL
        assert not {field for field in left_out if not field.startswith("value_")}


def missing(usual, made, place=""):
    """What an answer does not have of another; of lists what all elements have in common."""
    if isinstance(usual, Mapping):
        for field, value in usual.items():
            if field in made:
                yield from missing(value, made[field], f"{place}.{field}")
            else:
                yield f"{place}.{field}"
    elif isinstance(usual, list) and usual and isinstance(usual[0], Mapping):
        common = {k: v for k, v in usual[0].items() if all(k in each for each in usual)}
        for each in made:
            yield from missing(common, each, f"{place}[]")


MODELLED = [name for name in DICTIONARIES if model_for(described(name)[0]) is not None]


@pytest.mark.parametrize("name", MODELLED)
def test_made_up_answer_has_every_field_of_an_ordinary_one(name):
    entry, *_ = described(name)
    model, rng = model_for(entry), random.Random(1)
    knobs = model.start()
    for _ in range(100):
        knobs = model.mutate(knobs, rng, POOL)
        assert not list(missing(CATALOGUE.ordinary[name], model.answer(knobs)))


CLASSED = sorted(name for name, api in CATALOGUE.apis.items() if api.classes)
OPEN = {"LanguageCode", "IdentityDocumentFields", "moderation_categories"}
"""What services write in their documents alone: no enumeration of the SDK has it."""


def members_of(name):
    """The values that the SDK declares for the key of an API; none where it declares none."""
    api = CATALOGUE[name]
    if not name.startswith("aws."):
        kind, steps = described(name)[1], api.key.replace("[]", "").split(".")
        for step in steps:
            kind = SCHEMA.messages[kind][step]["type"]
        return set(SCHEMA.enums.get(kind, ()))
    service = name.split(".")[1]
    loaded = get_session().get_component("data_loader").load_service_model(service, "service-2")
    shape = ServiceModel(loaded, service).shape_for(api.schema.rpartition(".")[2])
    for step in api.key.split("."):
        shape = shape.members[step.removesuffix("[]")]
        shape = shape.member if step.endswith("[]") else shape
    return set(shape.enum)


@pytest.mark.parametrize("name", CLASSED)
def test_classes_are_those_of_the_sdk(name):
    members = members_of(name)
    assert members or OPEN & set(CATALOGUE[name].key.replace("[]", "").split("."))
    # what a request may name for all of them is no class
    assert not members or members - {"ALL"} == set(CATALOGUE[name].classes)


@pytest.mark.parametrize("name", CLASSED)
def test_made_up_answer_names_classes_alone(name):
    entry, *_ = described(name)
    model, rng, api = CatalogueModels([entry]), random.Random(1), CATALOGUE[name]
    path = model_path(api)
    knobs = model[name].start()
    for _ in range(50):
        knobs = model[name].mutate(knobs, rng, POOL)
        fitting = model.fitting(ApiRequest(name, None, "text", None, {}), knobs)
        named = values_at(model[name].answer(fitting), path)
        assert set(named) <= set(api.classes)
        assert len(named) >= api.least
        assert api.least < len(api.classes) or set(named) == set(api.classes)


def model_path(api):
    """The path of the key in a canonical answer."""
    return api.key.partition("[].")[2] if api.input.each else api.key


@pytest.mark.parametrize("name", sorted(n for n, api in CATALOGUE.apis.items() if api.says))
def test_descriptions_fit_the_ordinary_answer(name):
    api = CATALOGUE[name]
    if name in CATALOGUE.ordinary:
        usual = CATALOGUE.ordinary[name]
        for meaning in api.says:
            if api.task != "moderation" or name.startswith("aws."):
                assert said(meaning, usual)


CLOSED = sorted(n for n, api in CATALOGUE.apis.items() if any(m.closed for m in api.says))


@pytest.mark.parametrize("name", CLOSED)
def test_each_class_can_be_said(name):
    meaning = meaning_of(CATALOGUE[name])
    for word, reading in meaning.readings.items():
        answer = saying(meaning, CATALOGUE.ordinary[name], word)
        assert said(meaning, answer) == (word,)
        assert reading_of(CATALOGUE[name], answer, "").text == reading
