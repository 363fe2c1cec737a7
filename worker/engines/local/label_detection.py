"""Labels of pictures on this machine, in the words of Google, Amazon, Azure and Hugging Face.

A network sees one of a thousand things; WordNet says what else each of them is.  The scores
and the order of the labels are the network's, not the provider's.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import ApiRequest, LocalEngine, NoAnswer, NotAsked
from worker.engines.local import image_network
from worker.engines.local.image_decoding import NotAnImage, decode, picture_fault

GOOGLE = "google.vision.label_detection"
AWS = "aws.rekognition.detect_labels"
AZURE = "azure.vision.tag_image"
HUGGINGFACE = "huggingface.image_classification"
LONGEST = 512
LEAST = 0.5
"""The least score that Google and Azure give."""
MOST_OF_GOOGLE = 10
MOST_OF_AMAZON = 1000
LEAST_OF_AMAZON = 55.0
MOST_OF_PIPELINES = 5
CATEGORIES = {
    "Animal": "Animals and Pets",
    "Food": "Food and Beverage",
    "Vehicle": "Vehicles and Automotive",
    "Clothing": "Apparel and Accessories",
    "Furniture": "Furniture and Furnishings",
    "Building": "Buildings and Architecture",
    "Plant": "Plants and Flowers",
}
OTHER_CATEGORY = "Everyday Objects"
NO_NAMES = frozenset({"Flame", "Fire", "Pet"})
"""Labels of what a thing shows or is to people, not words for it."""
_IMAGENET = ("vit-base-patch16", "resnet-", "convnext", "mobilenet", "efficientnet", "deit-")
_OTHER_CLASSES = ("in21k", "22k-384", "finetuned")
_OWNERS = frozenset({"", "google", "microsoft", "facebook", "timm", "apple"})


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one provider; ``classes`` (labels, 1000) says which classes are one.

    ``parents`` are the labels of what is above a label.
    """

    names: tuple[str, ...]
    classes: NDArray[np.bool_]
    parents: Mapping[str, tuple[str, ...]]

    def category(self, name: str) -> str:
        """Return the category of a label as Amazon has them, of the commonest."""
        known = (CATEGORIES.get(each) for each in (name, *self.parents[name]))
        return next(filter(None, known), OTHER_CATEGORY)

    def scores(self, probabilities: NDArray[np.float32], least: float) -> dict[str, float]:
        """Return the labels that are likely enough, the likeliest first."""
        likely = np.minimum(self.classes @ probabilities, 1.0)
        order = sorted(range(len(self.names)), key=lambda at: (-likely[at], self.names[at]))
        kept = (at for at in order if likely[at] >= least)
        return {self.names[at]: round(float(likely[at]), 4) for at in kept}


class LocalLabels(LocalEngine):
    """Names what a picture shows; the network is loaded with the first one."""

    package = image_network.PACKAGE
    apis = (GOOGLE, AWS, AZURE, HUGGINGFACE)

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def answers(self, api: str) -> bool:
        """Return whether the engine knows how the API answers, and the network is installed."""
        return api in self.apis and image_network.installed()

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the API's response to a picture; raise ``NoAnswer``, ``Rejected``."""
        if request.content is None:
            raise NoAnswer("the local engine looks at pictures, not at addresses of pictures")
        _check(api, request.parameters)
        try:
            picture = decode(request.content, LONGEST)
        except NotAnImage:
            return picture_fault(api)
        with self._lock:
            classify = self._classify
        found = classify(picture)
        if api == HUGGINGFACE:
            return _classified(found, request.parameters)
        if api == AWS:
            return _detected(found, request.parameters)
        scores = labels_of("google").scores(found, LEAST)
        if api == AZURE:
            return _tagged(scores, request.content)
        most = int(_number(request.parameters, "max_results", MOST_OF_GOOGLE))
        annotations: list[Json] = [
            {"mid": _mids()[name], "description": name, "score": score, "topicality": score}
            for name, score in list(scores.items())[:most]
        ]
        return {"label_annotations": annotations} if annotations else {}

    @cached_property
    def _classify(self) -> image_network.Classify:
        return image_network.load_network()


def _tagged(scores: Mapping[str, float], content: bytes) -> JsonObject:
    with Image.open(io.BytesIO(content)) as picture:
        (width, height), kind = picture.size, (picture.format or "").title()
    return {
        "tags": [
            {"name": name.lower(), "confidence": score, "hint": None}
            for name, score in scores.items()
        ],
        "request_id": "00000000-0000-0000-0000-000000000000",
        "metadata": {"width": width, "height": height, "format": kind},
        "model_version": "2021-05-01",
    }


@cache
def _mids() -> Mapping[str, str]:
    text = files("analyzers.catalogue").joinpath("vocabularies", "openimages_v6.tsv")
    rows = (line.split("\t", 1) for line in text.read_text("utf-8").splitlines() if line)
    return {name.strip(): mid for mid, name in rows}


def _detected(found: NDArray[np.float32], parameters: JsonObject) -> JsonObject:
    labels = labels_of("aws")
    least = _number(parameters, "MinConfidence", LEAST_OF_AMAZON) / 100
    most = int(_number(parameters, "MaxLabels", MOST_OF_AMAZON))
    listed: list[Json] = [
        {
            "Name": name,
            "Confidence": round(100 * score, 2),
            "Instances": [],
            "Parents": [{"Name": parent} for parent in labels.parents[name]],
            "Aliases": [],
            "Categories": [{"Name": labels.category(name)}],
        }
        for name, score in list(labels.scores(found, max(least, 0.01)).items())[:most]
    ]
    return {"Labels": listed, "LabelModelVersion": "3.0"}


def _classified(found: NDArray[np.float32], parameters: JsonObject) -> JsonObject:
    most = int(_number(parameters, "top_k", MOST_OF_PIPELINES))
    order = np.argsort(-found, kind="stable")[:most]
    names = class_names()
    return {"elements": [{"label": names[at], "score": float(found[at])} for at in order]}


def _number(parameters: JsonObject, name: str, default: float) -> float:
    value = parameters.get(name)
    return float(value) if isinstance(value, int | float) and value > 0 else default


def _check(api: str, parameters: JsonObject) -> None:
    """Raises ``NotAsked`` where a model has other classes than those of ImageNet."""
    model = str(parameters.get("model") or "").casefold()
    owner, _, name = model.rpartition("/")
    known = owner in _OWNERS and any(part in name for part in _IMAGENET)
    if api == HUGGINGFACE and model and (not known or any(part in name for part in _OTHER_CLASSES)):
        raise NotAsked(
            f"the local engine does not know the classes of {model[:80]}: set"
            ' [engines."huggingface"] kind = "provider" and its credentials'
        )


@dataclass(frozen=True, slots=True)
class Meaning:
    """A row of the table: a meaning of WordNet, the ``number`` of the class that it is, if any."""

    number: int | None
    above: tuple[str, ...]
    words: str
    labels: Mapping[str, Sequence[str]]


@cache
def meanings() -> Mapping[str, Meaning]:
    """Return the meanings by their identifiers (``worker/data/labels/LICENCES.md``)."""
    text = files("worker.data").joinpath("labels", "imagenet.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {
        synset: Meaning(
            int(number) if number else None,
            tuple(above.split()),
            words,
            {"google": google.split(", ") if google else [], "aws": aws.split(", ") if aws else []},
        )
        for number, synset, above, words, google, aws in rows
    }


@cache
def class_names() -> tuple[str, ...]:
    """Return the names of the classes by number, as models on Hugging Face have them."""
    numbered = {each.number: each.words for each in meanings().values()}
    return tuple(numbered[number] for number in range(image_network.CLASSES))


def is_kind(label: str, reading: str) -> bool:
    """Return whether a label is one of the words for what a reading says, or for a kind of it."""
    wanted = frozenset(_named().get(reading.casefold(), ()))
    meant = () if label in NO_NAMES else _named().get(label.casefold(), ())
    return any(wanted & {synset, *_above(synset)} for synset in meant)


@cache
def _named() -> Mapping[str, list[str]]:
    """Return the meanings by their words and labels, in small letters."""
    found: dict[str, list[str]] = {}
    for synset, meaning in meanings().items():
        names = (*meaning.words.split(", "), *meaning.labels["google"], *meaning.labels["aws"])
        for name in {name.casefold() for name in names}:
            found.setdefault(name, []).append(synset)
    return found


@cache
def labels_of(provider: str) -> Labels:
    """Return the labels of a provider, and which classes each of them is."""
    known = meanings()
    members: dict[str, set[int]] = {}
    parents: dict[str, dict[str, None]] = {}
    for synset, meaning in known.items():
        above = [label for each in _above(synset) for label in known[each].labels[provider]]
        for label in meaning.labels[provider]:
            parents.setdefault(label, {}).update(dict.fromkeys(above))
        if meaning.number is not None:
            for label in (*meaning.labels[provider], *above):
                members.setdefault(label, set()).add(meaning.number)
    names = tuple(sorted(members))
    classes: NDArray[Any] = np.zeros((len(names), image_network.CLASSES), np.bool_)
    for at, name in enumerate(names):
        classes[at, list(members[name])] = True
    over = {
        name: tuple(
            each for each in parents[name] if each != name and members[name] <= members[each]
        )
        for name in names
    }
    return Labels(names, classes, over)


def _above(synset: str) -> list[str]:
    """Return all meanings above one, the nearest first."""
    found: dict[str, None] = {}
    waiting = list(meanings()[synset].above)
    while waiting:
        each = waiting.pop(0)
        if each not in found:
            found[each] = None
            waiting += meanings()[each].above
    return list(found)
