"""Routes mails by their tone."""

import os
from collections import Counter

import boto3
from botocore.exceptions import BotoCoreError, ClientError

REGION = os.getenv("AWS_REGION", "eu-central-1")
LANGUAGE = os.getenv("INBOX_LANGUAGE") or "en"
LIMIT = 5000

client = boto3.client("comprehend", region_name=REGION)


def clip(text, limit=LIMIT):
    data = text.encode("utf-8")[:limit]
    return data.decode("utf-8", errors="ignore")


def route(text):
    """The folder for a mail."""
    if not text or text.isspace():
        return "empty"
    try:
        answer = client.detect_sentiment(Text=clip(text), LanguageCode=LANGUAGE)
    except (BotoCoreError, ClientError):
        return "unsorted"
    if answer["Sentiment"] == "Negative":
        return "urgent"
    if answer["Sentiment"] == "POSITIVE":
        return "praise"
    return "normal"


def summary(texts):
    return dict(Counter(route(text) for text in texts))
