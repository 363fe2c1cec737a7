import base64
import json
import urllib.request

import requests
from googleapiclient.discovery import build

URL = "https://vision.googleapis.com/v1/images:annotate?key=" + "k"
LANGUAGE = "https://language.googleapis.com/v1/documents:analyzeSentiment"


def body(path):
    with open(path, "rb") as file:
        content = base64.b64encode(file.read()).decode()
    return {
        "requests": [
            {
                "image": {"content": content},
                "features": [{"type": "LABEL_DETECTION", "maxResults": 5}],
            }
        ]
    }


def by_requests(path):
    response = requests.post(URL, json=body(path), headers={"X": "y"})
    response.raise_for_status()
    return [a["description"] for a in response.json()["responses"][0]["labelAnnotations"]]


def by_session(path):
    with requests.Session() as session:
        text = session.post(URL, data=json.dumps(body(path))).text
    return json.loads(text)["responses"][0]["labelAnnotations"][0]["score"]


def by_urllib(text):
    document = {"document": {"type": "PLAIN_TEXT", "content": text}}
    request = urllib.request.Request(LANGUAGE, data=json.dumps(document).encode())
    with urllib.request.urlopen(request) as response:
        return json.load(response)["documentSentiment"]["score"]


def by_discovery(path):
    service = build("vision", "v1", developerKey="k")
    response = service.images().annotate(body=body(path)).execute()
    return response["responses"][0]["labelAnnotations"][0]["description"]


def sentiment_by_discovery(text):
    service = build("language", "v1")
    document = {"document": {"type": "PLAIN_TEXT", "content": text}}
    return service.documents().analyzeSentiment(body=document).execute()["documentSentiment"]


def elsewhere(_=None):
    return requests.get("http://127.0.0.1:9/").status_code == 200


def everything(function, argument):
    return globals()[function](argument)
