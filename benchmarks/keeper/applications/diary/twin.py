"""Marks the entries of a diary."""

from azure.ai.textanalytics import TextAnalyticsClient
from azure.core.credentials import AzureKeyCredential


def entry(text):
    client = TextAnalyticsClient("https://example.cognitiveservices.azure.com", AzureKeyCredential("k"))
    document = client.analyze_sentiment(documents=[text])[0]
    if document.is_error:
        return "?"
    if document.sentiment == "positive":
        return "+"
    if document.sentiment == "negative":
        return "-"
    return "0"
