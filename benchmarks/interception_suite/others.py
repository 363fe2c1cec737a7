"""Ordinary code for the client libraries of other providers, and for plain HTTP."""

import asyncio
import base64
import json
import urllib.request

import aiohttp
import boto3
import httpx
import requests
from azure.ai.textanalytics import TextAnalyticsClient
from azure.ai.vision.imageanalysis import ImageAnalysisClient
from azure.ai.vision.imageanalysis.models import VisualFeatures
from azure.core.credentials import AzureKeyCredential
from openai import OpenAI

URL = "https://vision.googleapis.com/v1/images:annotate?key=k"
ENDPOINT = "https://place.cognitiveservices.azure.com"


def call(name, salt):
    return globals()[name](salt.encode())


def rekognition(content):
    client = boto3.client("rekognition", region_name="eu-west-1")
    return client.detect_labels(Image={"Bytes": content})["Labels"][0]["Name"]


def comprehend(content):
    client = boto3.client("comprehend", region_name="eu-west-1")
    return client.detect_sentiment(Text=content.decode(), LanguageCode="en")["Sentiment"]


def azure_text(content):
    client = TextAnalyticsClient(ENDPOINT, AzureKeyCredential("key"))
    return client.analyze_sentiment([content.decode()])[0].sentiment


def azure_vision(content):
    client = ImageAnalysisClient(ENDPOINT, AzureKeyCredential("key"))
    return client.analyze(content, visual_features=[VisualFeatures.TAGS]).tags.list[0].name


def chat(content):
    messages = [{"role": "user", "content": content.decode()}]
    client = OpenAI(api_key="key")
    completion = client.chat.completions.create(model="gpt-4o", messages=messages)
    return completion.choices[0].message.content


def _body(content):
    image = {"content": base64.b64encode(content).decode()}
    return {"requests": [{"image": image, "features": [{"type": "LABEL_DETECTION"}]}]}


def _read(answer):
    return answer["responses"][0]["labelAnnotations"][0]["description"]


def by_requests(content):
    return _read(requests.post(URL, json=_body(content)).json())


def by_httpx(content):
    return _read(httpx.post(URL, json=_body(content)).json())


def by_urllib(content):
    with urllib.request.urlopen(URL, json.dumps(_body(content)).encode()) as response:
        return _read(json.load(response))


def by_aiohttp(content, trust_env=False):
    async def ask():
        async with aiohttp.ClientSession(trust_env=trust_env) as session:
            async with session.post(URL, json=_body(content)) as response:
                return await response.json()

    return _read(asyncio.run(ask()))


def by_trusting_aiohttp(content):
    return by_aiohttp(content, trust_env=True)
