"""Requests that fail, and what clients raise then; the SDKs are imported once for all of them."""

import json
from urllib.request import Request, urlopen

import anthropic.resources.messages
import boto3
import httpx
import openai.resources.chat.completions
import requests
from anthropic import Anthropic
from google import genai
from huggingface_hub import InferenceClient
from openai import OpenAI


def everything(function, argument):
    try:
        globals()[function](argument)
    except Exception as error:
        return type(error).__name__, status_of(error)
    return "no error"


def status_of(error):
    for name in ("status_code", "code"):
        if isinstance(getattr(error, name, None), int):
            return int(getattr(error, name))
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return response["ResponseMetadata"]["HTTPStatusCode"]
    return getattr(response, "status_code", None)


def messages(text):
    return [{"role": "user", "content": text}]


def openai(text):
    OpenAI().chat.completions.create(model="m", messages=messages(text))


def openai_stream(text):
    for _ in OpenAI().chat.completions.create(model="m", messages=messages(text), stream=True):
        pass


def anthropic(text):
    Anthropic().messages.create(model="m", max_tokens=9, messages=messages(text))


def anthropic_stream(text):
    with Anthropic().messages.stream(model="m", max_tokens=9, messages=messages(text)) as stream:
        list(stream.text_stream)


def gemini(text):
    genai.Client(api_key="k").models.generate_content(model="m", contents=text)


def gemini_stream(text):
    for _ in genai.Client(api_key="k").models.generate_content_stream(model="m", contents=text):
        pass


def bedrock(text):
    client = boto3.client("bedrock-runtime", region_name="us-east-1")
    client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": text}]}])


def bedrock_stream(text):
    client = boto3.client("bedrock-runtime", region_name="us-east-1")
    said = [{"role": "user", "content": [{"text": text}]}]
    list(client.converse_stream(modelId="m", messages=said)["stream"])


def comprehend(text):
    client = boto3.client("comprehend", region_name="us-east-1")
    client.detect_sentiment(Text=text, LanguageCode="en")


def azure(text):
    from azure.ai.textanalytics import TextAnalyticsClient
    from azure.core.credentials import AzureKeyCredential

    client = TextAnalyticsClient("https://x.cognitiveservices.azure.com", AzureKeyCredential("k"))
    client.analyze_sentiment([text])


def old_azure(text):
    from azure.cognitiveservices.vision.computervision import ComputerVisionClient
    from azure.cognitiveservices.vision.computervision.models import (
        ComputerVisionErrorResponseException,
    )
    from msrest.exceptions import HttpOperationError

    try:
        ComputerVisionClient("https://x", None).describe_image(text)
    except ComputerVisionErrorResponseException as error:
        assert isinstance(error, HttpOperationError)
        raise


def google(text):
    from google.cloud import language_v1

    client = language_v1.LanguageServiceClient()
    client.analyze_sentiment(document={"content": text, "type_": "PLAIN_TEXT"})


def hugging_face(text):
    InferenceClient(model="m", token="t").text_classification(text)


def hugging_face_by_requests(text):
    url = "https://router.huggingface.co/hf-inference/models/someone/some-sentiment"
    answer = requests.post(url, json={"inputs": text})
    assert answer.status_code != 503 or answer.json()["estimated_time"] > 0
    answer.raise_for_status()


def by_requests(text):
    body = {"model": "m", "messages": messages(text)}
    requests.post("https://api.openai.com/v1/chat/completions", json=body).raise_for_status()


def by_httpx(text):
    body = {"model": "m", "messages": messages(text)}
    httpx.post("https://api.openai.com/v1/chat/completions", json=body).raise_for_status()


def by_urllib(text):
    body = json.dumps({"model": "m", "messages": messages(text)}).encode()
    head = {"Content-Type": "application/json"}
    urlopen(Request("https://api.openai.com/v1/chat/completions", body, head)).read()
