"""Everyday answers: they have what a real answer has, and so has whatever the search makes up."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from analyzers.catalogue import load_catalogue
from analyzers.cloud.api_answers import meaning_of, reading_of, said, saying
from analyzers.guest.clients.described_apis import DescribedApis
from analyzers.guest.clients.schema_fitting import fitted
from analyzers.guest.clients.schema_messages import Schema
from analyzers.guest.search.answer_models.model_registry import model_for
from analyzers.guest.search.code_constants import ConstantPool
from tests.analyzers.guest.guests import SCHEMAS

CATALOGUE = load_catalogue()
ORDINARY = sorted(CATALOGUE.ordinary)
DICTIONARIES = [name for name in ORDINARY if name.startswith(("aws.", "huggingface."))]
SCHEMA = Schema(SCHEMAS)
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


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_answer_fits_its_schema(name):
    _, message, listed = described(name)
    answer = CATALOGUE.ordinary[name]
    for each in answer["elements"] if listed else [answer]:
        assert fitted(SCHEMA, message, each) == each


@pytest.mark.parametrize("name", DICTIONARIES)
def test_ordinary_dictionary_has_every_field_of_its_schema(name):
    _, message, listed = described(name)
    answer = CATALOGUE.ordinary[name]
    for each in answer["elements"] if listed else [answer]:
        assert {place.rpartition(".")[2] for place in lacks(message, each)} <= OPTIONAL


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


@pytest.mark.parametrize("name", DICTIONARIES)
def test_made_up_answer_has_every_field_of_an_ordinary_one(name):
    entry, *_ = described(name)
    model, rng = model_for(entry), random.Random(1)
    knobs = model.start()
    for _ in range(100):
        knobs = model.mutate(knobs, rng, POOL)
        assert not list(missing(CATALOGUE.ordinary[name], model.answer(knobs)))


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
