"""Descriptions of ML APIs, as data, and the labels that they answer with."""

from analyzers.catalogue.catalogue import Catalogue, load
from analyzers.catalogue.labels import Grade, Vocabulary, vocabulary
from analyzers.catalogue.model import Api, InputField, Meaning

__all__ = [
    "Api",
    "Catalogue",
    "Grade",
    "InputField",
    "Meaning",
    "Vocabulary",
    "load",
    "vocabulary",
]
