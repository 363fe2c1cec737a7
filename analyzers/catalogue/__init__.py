"""Descriptions of ML APIs, as data, and the labels that they answer with."""

from analyzers.catalogue.api_catalogue import Catalogue, asks_cloud, load_catalogue
from analyzers.catalogue.api_descriptions import AnswerMeaning, Api, InputField
from analyzers.catalogue.label_vocabularies import (
    Grade,
    Vocabulary,
    is_content_category,
    vocabulary,
)

__all__ = [
    "AnswerMeaning",
    "Api",
    "Catalogue",
    "Grade",
    "InputField",
    "Vocabulary",
    "asks_cloud",
    "is_content_category",
    "load_catalogue",
    "vocabulary",
]
