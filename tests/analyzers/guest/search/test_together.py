from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.code_constants import ORDINARY
from analyzers.guest.search.search_campaign import CandidateSupplier, CatalogueModels

ENTITIES = "google.language.analyze_entities"
SENTIMENTS = "google.language.analyze_entity_sentiment"
PLAN = {ENTITIES: ((("Rhine", 0.9), ("Basel", 0.4)),), SENTIMENTS: ((("Alps", -0.7),),)}


def named(supplier: CandidateSupplier, api: str, text: str) -> list[str]:
    return [entity["name"] for entity in supplier(ApiRequest(api, text=text))["entities"]]


def test_two_apis_name_the_same_things_in_one_text() -> None:
    supplier = CandidateSupplier(CatalogueModels([]), PLAN)
    assert named(supplier, ENTITIES, "on the river") == ["Rhine", "Basel"]
    rated = supplier(ApiRequest(SENTIMENTS, text="on the river"))["entities"]
    assert [entity["name"] for entity in rated] == ["Rhine", "Basel"]
    assert [round(entity["sentiment"]["score"], 4) for entity in rated] == [-0.7, 0.0]


def test_other_texts_have_names_of_their_own() -> None:
    supplier = CandidateSupplier(CatalogueModels([]), PLAN)
    assert named(supplier, ENTITIES, "on the river") == ["Rhine", "Basel"]
    assert named(supplier, SENTIMENTS, "in the mountains") == ["Alps"]


def test_a_text_that_names_nothing_has_no_feelings_about_it() -> None:
    supplier = CandidateSupplier(CatalogueModels([]), {SENTIMENTS: PLAN[SENTIMENTS]})
    assert named(supplier, ENTITIES, "on the river") == []
    assert named(supplier, SENTIMENTS, "on the river") == []


def test_names_that_mean_nothing_are_words_of_the_text() -> None:
    entries = tuple((name, 0.9) for name in (*ORDINARY[:2], "Rhine"))
    supplier = CandidateSupplier(CatalogueModels([]), {ENTITIES: (entries,)})
    assert named(supplier, ENTITIES, "on the river") == ["on", "the", "Rhine"]
