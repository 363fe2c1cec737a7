"""Lists the companies in an article."""

from azure.ai.textanalytics import TextAnalyticsClient
from azure.core.credentials import AzureKeyCredential


def companies(article):
    client = TextAnalyticsClient("https://example.cognitiveservices.azure.com", AzureKeyCredential("k"))
    result = client.recognize_entities([article])[0]
    if result.is_error:
        return []
    return [e.text for e in result.entities if e.category == "Organization"]
