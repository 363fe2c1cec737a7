"""The tone of support tickets, by Azure."""

from __future__ import annotations

import os
from functools import cache

from azure.ai.textanalytics import TextAnalyticsClient
from azure.core.credentials import AzureKeyCredential


@cache
def client() -> TextAnalyticsClient:
    endpoint = os.environ["LANGUAGE_ENDPOINT"]
    return TextAnalyticsClient(endpoint, AzureKeyCredential(os.environ["LANGUAGE_KEY"]))


def tone(ticket: str) -> str:
    """'calm', 'angry' or 'unknown'."""
    (result,) = client().analyze_sentiment([ticket])
    if result.is_error:
        return "unknown"
    if result.sentiment == "negative":
        return "angry"
    return "calm"
