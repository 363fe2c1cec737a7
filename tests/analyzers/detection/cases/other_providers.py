"""Amazon, Azure, OpenAI and Hugging Face."""

import boto3
from azure.ai.textanalytics import TextAnalyticsClient
from openai import OpenAI
from transformers import pipeline

classifier = pipeline("sentiment-analysis", model="some/model")


class Gate:
    service = "rekognition"

    def __init__(self, region):
        self.session = boto3.session.Session(region_name=region)
        self.client = self.session.client(service_name="rekognition")
        self.storage = self.session.client("s3")

    def seen(self, content):
        answer = self.client.detect_labels(Image={"Bytes": content}, MaxLabels=10)
        return {label["Name"]: label["Confidence"] for label in answer["Labels"]}

    def opens(self, content):
        labels = self.seen(content)
        if "Person" in labels and labels["Person"] > 90:
            return True
        objects = self.storage.list_objects(Bucket="known")
        if objects["KeyCount"] == 0:
            return False
        return labels.get("Badge", 0) > 50


def mood(text, endpoint, credential):
    client = TextAnalyticsClient(endpoint=endpoint, credential=credential)
    documents = [doc for doc in client.analyze_sentiment([text]) if not doc.is_error]
    return any(document.sentiment == "negative" for document in documents)


def spam(text):
    answer = OpenAI().chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    match answer.choices[0].message.content.strip().lower():
        case "yes":
            return True
        case _:
            return False


def rude(text):
    result = classifier(text)[0]
    return result["label"] == "NEGATIVE" and result["score"] > 0.9
