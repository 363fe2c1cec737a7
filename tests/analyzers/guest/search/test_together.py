from analyzers.guest.calls import Request
from analyzers.guest.search.campaign import Models, Supplier

ENTITIES = "google.language.analyze_entities"
SENTIMENTS = "google.language.analyze_entity_sentiment"
PLAN = {ENTITIES: ((("Rhine", 0.9), ("Basel", 0.4)),), SENTIMENTS: ((("Alps", -0.7),),)}


def named(supplier: Supplier, api: str, text: str) -> list[str]:
    return [entity["name"] for entity in supplier(Request(api, text=text))["entities"]]


def test_two_apis_name_the_same_things_in_one_text() -> None:
    supplier = Supplier(Models([]), PLAN)
    assert named(supplier, ENTITIES, "on the river") == ["Rhine", "Basel"]
    rated = supplier(Request(SENTIMENTS, text="on the river"))["entities"]
    assert [entity["name"] for entity in rated] == ["Rhine", "Basel"]
    assert [round(entity["sentiment"]["score"], 4) for entity in rated] == [-0.7, 0.0]


def test_other_texts_have_names_of_their_own() -> None:
    supplier = Supplier(Models([]), PLAN)
    assert named(supplier, ENTITIES, "on the river") == ["Rhine", "Basel"]
    assert named(supplier, SENTIMENTS, "in the mountains") == ["Alps"]


def test_a_text_that_names_nothing_has_no_feelings_about_it() -> None:
    supplier = Supplier(Models([]), {SENTIMENTS: PLAN[SENTIMENTS]})
    assert named(supplier, ENTITIES, "on the river") == []
    assert named(supplier, SENTIMENTS, "on the river") == []
