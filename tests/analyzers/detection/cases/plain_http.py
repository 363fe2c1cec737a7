"""Plain HTTP and the discovery client; the status code is no ML answer."""

import json
import os
import urllib.request

import requests
from googleapiclient import discovery

ENDPOINT = "https://vision.googleapis.com/v1"
URL = f"{ENDPOINT}/images:annotate"
AZURE = os.getenv("AZURE", "https://westeurope.api.cognitive.microsoft.com")


def by_requests(content, key):
    body = {"requests": [{"image": {"content": content}, "features": [{"type": "LABEL_DETECTION"}]}]}
    response = requests.post(URL + "?key=" + key, data=json.dumps(body))
    if response.status_code != 200:
        raise RuntimeError(response.reason)
    labels = response.json()["responses"][0].get("labelAnnotations", [])
    return [label["description"] for label in labels if label["score"] > 0.8]


def by_session(text):
    session = requests.Session()
    url = AZURE.rstrip("/") + "/text/analytics/v3.0/sentiment"
    answer = session.post(url, json={"documents": [{"id": "1", "text": text}]}).json()
    return answer["documents"][0]["sentiment"] == "negative"


def by_urllib(text):
    request = urllib.request.Request(
        "https://language.googleapis.com/v2/documents:analyzeSentiment", text.encode()
    )
    with urllib.request.urlopen(request) as response:
        answer = json.loads(response.read())
    while answer["documentSentiment"]["score"] < 0:
        answer["documentSentiment"]["score"] += 0.5


def by_discovery(content):
    service = discovery.build("vision", "v1")
    request = service.images().annotate(
        body={"requests": [{"image": {"content": content}, "features": [{"type": "TEXT_DETECTION"}]}]}
    )
    response = request.execute()
    return response["responses"][0]["textAnnotations"][0]["description"] if response else ""


def elsewhere(text):
    answer = requests.post("https://example.org/documents", json={"text": text}).json()
    return answer["score"] > 0
