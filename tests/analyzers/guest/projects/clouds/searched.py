import boto3
from azure.ai.textanalytics import TextAnalyticsClient
from azure.core.credentials import AzureKeyCredential
from openai import OpenAI


def is_pet(image):
    response = boto3.client("rekognition").detect_labels(Image={"Bytes": image})
    for label in response["Labels"]:
        if label["Name"] in ("Cat", "Dog") and label["Confidence"] > 90:
            return True
    return False


def is_exit(image):
    found = boto3.client("rekognition").detect_text(Image={"Bytes": image})["TextDetections"]
    lines = [text["DetectedText"] for text in found if text["Type"] == "LINE"]
    if "EMERGENCY EXIT" in lines:
        return True
    return False


def is_angry(text):
    comprehend = boto3.client("comprehend")
    response = comprehend.detect_sentiment(Text=text, LanguageCode="en")
    if response["Sentiment"] == "NEGATIVE" and response["SentimentScore"]["Negative"] > 0.97:
        return True
    return False


def is_glad(text):
    client = TextAnalyticsClient("https://x", AzureKeyCredential("key"))
    document = client.analyze_sentiment([text])[0]
    if document.sentiment == "positive" and document.confidence_scores.positive > 0.9:
        return True
    return False


def is_harmful(text):
    result = OpenAI(api_key="key").moderations.create(input=text).results[0]
    if result.flagged and result.category_scores.self_harm > 0.4:
        return True
    return False


def is_spam(text):
    completion = OpenAI(api_key="key").chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": text}]
    )
    if completion.choices[0].message.content.strip().lower() == "spam":
        return True
    return False
