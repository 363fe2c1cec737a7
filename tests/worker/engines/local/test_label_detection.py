"""Labels by a network on this machine, on pictures that Assayer ships."""

import io
from importlib.resources import files

import pytest
from PIL import Image

from analyzers.catalogue import load_catalogue
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest, NoAnswer, NotAsked, Rejected
from worker.engines.engine_selection import Engines
from worker.engines.local import image_network
from worker.engines.local.label_detection import (
    AWS,
    AZURE,
    GOOGLE,
    HUGGINGFACE,
    LocalLabels,
    labels_of,
)

pytestmark = pytest.mark.skipif(not image_network.installed(), reason="assayer[vision] is absent")


@pytest.fixture(scope="module")
def engine():
    return LocalLabels()


def shown(name):
    return files("worker.data").joinpath("pictures", f"{name}.jpg").read_bytes()


def asked(engine, api, name, **parameters):
    return validated_answer(api, engine.ask(api, ApiRequest(shown(name), parameters=parameters)))


def google(engine, name, **parameters):
    found = asked(engine, GOOGLE, name, **parameters)
    return [each["description"] for each in found.get("label_annotations", [])]


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("lion-1", {"Animal", "Mammal", "Big cats"}),
        ("zebra-1", {"Zebra", "Animal", "Mammal"}),
        ("penguin-1", {"Bird", "Penguin", "Animal"}),
        ("banana-1", {"Banana", "Fruit", "Food", "Produce"}),
        ("cucumber-1", {"Vegetable", "Food", "Produce"}),
        ("dog-1", {"Dog", "Animal", "Mammal", "Pet"}),
    ],
)
def test_pictures_get_what_they_show_and_what_that_is(engine, name, labels):
    assert labels <= set(google(engine, name))


def test_number_of_labels_is_what_was_asked_for(engine):
    assert len(google(engine, "dog-1")) <= 10
    assert len(google(engine, "dog-1", max_results=2)) == 2


def test_amazon_names_parents_and_leaves_out_the_unlikely(engine):
    labels = asked(engine, AWS, "zebra-1")["Labels"]
    zebra = next(label for label in labels if label["Name"] == "Zebra")
    assert {"Name": "Mammal"} in zebra["Parents"]
    assert all(label["Confidence"] >= 55 for label in labels)
    sure = asked(engine, AWS, "dog-1", MinConfidence=90)["Labels"]
    assert 0 < len(sure) < len(asked(engine, AWS, "dog-1", MinConfidence=1)["Labels"])
    assert len(asked(engine, AWS, "dog-1", MaxLabels=1)["Labels"]) == 1


def test_azure_writes_small_letters(engine):
    tags = asked(engine, AZURE, "banana-1")["tags"]
    assert {"food", "fruit"} <= {tag["name"] for tag in tags}


def test_models_of_imagenet_say_their_classes(engine):
    for model in (None, "google/vit-base-patch16-224", "microsoft/resnet-50"):
        named = {"model": model} if model else {}
        found = asked(engine, HUGGINGFACE, "zebra-1", **named)["elements"]
        assert (len(found), found[0]["label"]) == (5, "zebra")
    assert len(asked(engine, HUGGINGFACE, "zebra-1", top_k=2)["elements"]) == 2


@pytest.mark.parametrize(
    "model", ["nateraw/food", "google/vit-base-patch16-224-in21k", "me/resnet-50-finetuned"]
)
def test_models_of_other_classes_are_not_stood_in_for(engine, model):
    with pytest.raises(NotAsked, match="does not know the classes"):
        engine.ask(HUGGINGFACE, ApiRequest(shown("dog-1"), parameters={"model": model}))


def test_picture_of_nothing_gets_no_labels(engine):
    file = io.BytesIO()
    Image.new("RGB", (300, 200), "grey").save(file, "PNG")
    assert engine.ask(GOOGLE, ApiRequest(file.getvalue())) == {}
    assert engine.ask(AWS, ApiRequest(file.getvalue()))["Labels"] == []


def test_what_is_no_picture_gets_the_services_error(engine):
    assert engine.ask(GOOGLE, ApiRequest(b"x"))["error"]["code"] == 3
    assert engine.ask(AWS, ApiRequest(b"x"))["Error"]["Code"] == "InvalidImageFormatException"
    with pytest.raises(Rejected):
        engine.ask(AZURE, ApiRequest(b"x"))
    with pytest.raises(NoAnswer, match="addresses"):
        engine.ask(GOOGLE, ApiRequest(uri="gs://a/b.jpg"))


def test_other_weights_are_refused(monkeypatch):
    monkeypatch.setattr(image_network, "SHA256", "0" * 64)
    with pytest.raises(NoAnswer, match="reinstall"):
        LocalLabels().ask(GOOGLE, ApiRequest(shown("dog-1")))


def test_extra_that_is_absent_is_named(monkeypatch):
    monkeypatch.setattr(image_network, "PACKAGE", "no-such-weights")
    with pytest.raises(NoAnswer, match=r"image labels.*assayer\[vision\]"):
        Engines.from_settings({}, offline=True).engine(GOOGLE)


def fields(value):
    """The names of the fields of a value, and of what is in it."""
    if isinstance(value, list):
        return fields(value[0]) if value else None
    return {key: fields(inner) for key, inner in value.items()} if isinstance(value, dict) else None


@pytest.mark.parametrize("api", [GOOGLE, AWS, AZURE, HUGGINGFACE])
def test_answers_have_the_fields_of_the_everyday_one(engine, api):
    usual, found = fields(load_catalogue().ordinary[api]), fields(asked(engine, api, "dog-1"))
    if api == AWS:  # no box is known
        usual["Labels"]["Instances"] = found["Labels"]["Instances"] = None
        usual["Labels"]["Parents"] = found["Labels"]["Parents"]
    assert found == usual


@pytest.mark.parametrize("provider", ["google", "aws"])
def test_label_is_as_likely_as_what_it_is(provider):
    labels = labels_of(provider)
    for name, over in labels.parents.items():
        mine = labels.classes[labels.names.index(name)]
        for parent in over:
            assert (labels.classes[labels.names.index(parent)] | ~mine).all(), (name, parent)
