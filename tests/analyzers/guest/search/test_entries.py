import pytest

from analyzers import catalogue
from analyzers.catalogue.canonical_answers import values_at
from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.answer_models.model_registry import model_for
from analyzers.guest.search.code_constants import ConstantPool, constants_in
from analyzers.guest.search.search_campaign import CandidateSupplier, CatalogueModels

POOL = ConstantPool(["politics"], [], [0.0, 0.5], 1)
ZERO_SHOT = "huggingface.zero_shot_classification"
FEWEST = sorted(api.name for api in catalogue.load_catalogue().apis.values() if api.least)


def described(name):
    (entry,) = catalogue.load_catalogue().as_json([name])
    return entry


@pytest.mark.parametrize("name", FEWEST)
def test_no_answer_lists_less_than_the_fewest_entries(name) -> None:
    entry = described(name)
    model = model_for(entry)
    for knobs in [model.start(), *model.seeds(POOL)]:
        listed = values_at(model.answer(knobs), result_at(catalogue.load_catalogue()[name]))
        assert len(listed) >= entry["least"]


def result_at(api) -> str:
    """The path of what an answer lists: of one element, where each is asked about."""
    return f"{api.key.split('[].')[1]}[]" if api.input.each else api.result_at


def test_labels_begin_as_all_do() -> None:
    model = model_for(described("google.language.classify_text"))
    answer = model.answer((("Sports", 0.9), ("/News", 0.1)))
    assert [each["name"] for each in answer["categories"]] == ["/Sports", "/News"]


@pytest.mark.parametrize(
    ("knobs", "parameters", "rated"),
    [
        ((("b", 0.9),), {}, [("b", 0.9), ("a", 0.05), ("c", 0.05)]),
        ((("b", 0.2),), {}, [("a", 0.4), ("c", 0.4), ("b", 0.2)]),
        ((("other", 0.9),), {}, [("a", 1 / 3), ("b", 1 / 3), ("c", 1 / 3)]),
        ((("a", 1.0), ("b", 1.0)), {}, [("a", 0.5), ("b", 0.5), ("c", 0.0)]),
        ((("a", 0.9), ("b", 0.8)), {"multi_label": True}, [("a", 0.9), ("b", 0.8), ("c", 0.0)]),
    ],
)
def test_labels_of_a_request_are_all_rated(knobs, parameters, rated) -> None:
    supplier = CandidateSupplier(CatalogueModels([described(ZERO_SHOT)]), {ZERO_SHOT: (knobs,)})
    request = ApiRequest(ZERO_SHOT, parameters={"candidate_labels": "a, b, c", **parameters})
    given = supplier(request)["elements"]
    assert [(each["label"], pytest.approx(each["score"])) for each in given] == rated
    (kept,) = supplier.script
    assert kept["answer"]["elements"] == given


def test_keys_are_no_readings() -> None:
    assert constants_in("result['labels'][0] == 'politics'") == ["politics"]
