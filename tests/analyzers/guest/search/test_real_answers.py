"""Stand-in answers look like those of the services: values of their types, every field."""

import pytest

from analyzers import catalogue
from analyzers.guest.clients.aws import metadata
from analyzers.guest.search.answer_models.label_answers import ENTITIES, EXAMPLES
from analyzers.guest.search.answer_models.model_registry import model_for


@pytest.mark.parametrize(
    ("api", "listed", "text", "kind"),
    [
        ("aws.comprehend.detect_entities", "Entities", "Text", "Type"),
        ("azure.language.recognize_entities", "entities", "text", "category"),
    ],
)
def test_entity_of_a_type_has_a_text_of_it(api: str, listed: str, text: str, kind: str) -> None:
    entry = catalogue.load_catalogue().as_json([api])[0]
    model = model_for(entry)
    assert model is not None
    dated, owned = model.answer((("DATE", 0.9), ("ORGANIZATION", 0.8)))[listed]
    assert (dated[kind], dated[text]) == ("DATE", "2 March 2026")
    assert owned[text] == "Acme Ltd"
    length = dated.get("length", dated.get("EndOffset", 0) - dated.get("BeginOffset", 0))
    assert length == len(dated[text])


def test_named_entities_keep_their_types() -> None:
    made = ENTITIES.answer(tuple((EXAMPLES[kind], 0.9) for kind in ("PRICE", "DATE")))
    assert [(each["name"], each["type_"]) for each in made["entities"]] == [
        ("$41.20", "PRICE"),
        ("2 March 2026", "DATE"),
    ]
    assert next(ENTITIES.likelier((("PRICE", 0.3),)))[0][0] == "$41.20"


def test_response_metadata_is_whole() -> None:
    headers = metadata()["HTTPHeaders"]
    assert headers.keys() >= {"date", "x-amzn-requestid", "content-length", "content-type"}
