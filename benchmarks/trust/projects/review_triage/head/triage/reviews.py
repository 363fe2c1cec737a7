"""Sorts reviews into those that thank, those that complain, and the rest."""

import logging

from google.api_core.exceptions import GoogleAPICallError
from google.cloud import language_v1

from triage.settings import current

log = logging.getLogger(__name__)


def score_of(client, text):
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    response = client.analyze_sentiment(request={"document": document})
    return response.document_sentiment.score


def triage(text):
    """The queue for a review: 'thanks', 'complaints' or 'other'."""
    text = text.strip()
    if not text:
        return "other"
    client = language_v1.LanguageServiceClient()
    try:
        score = score_of(client, text)
    except GoogleAPICallError as error:
        log.warning("no sentiment: %s", error)
        return "other"
    settings = current()
    if score >= settings.threshold:
        return "thanks"
    if score <= -settings.threshold:
        return "complaints"
    return "other"
