"""Ways of calling ML APIs: each is found, whatever carries the client or the address.

Those of language models are in ``tests/analyzers/ways_of_asking.toml``.
"""

import pytest

from tests.analyzers.detection.detection_cases import everything

WAYS = {
    "google vision client": (
        "google.vision.label_detection",
        """
from google.cloud import vision
def f(x):
    return (
        vision.ImageAnnotatorClient()
        .label_detection(image=vision.Image(content=x))
        .label_annotations
    )
""",
    ),
    "google vision async": (
        "google.vision.label_detection",
        """
from google.cloud import vision_v1
async def f(x):
    c = vision_v1.ImageAnnotatorAsyncClient()
    r = await c.batch_annotate_images(
        requests=[
            {
                "image": {"content": x},
                "features": [{"type_": vision_v1.Feature.Type.LABEL_DETECTION}],
            }
        ]
    )
    return r.responses[0].label_annotations
""",
    ),
    "google vision annotate": (
        "google.vision.text_detection",
        """
from google.cloud import vision
def f(x):
    c = vision.ImageAnnotatorClient()
    return c.annotate_image(
        {"image": {"content": x}, "features": [{"type_": vision.Feature.Type.TEXT_DETECTION}]}
    ).text_annotations
""",
    ),
    "google language v2": (
        "google.language.analyze_sentiment",
        """
from google.cloud import language_v2
def f(t):
    c = language_v2.LanguageServiceClient()
    return c.analyze_sentiment(request={"document": {"content": t}}).document_sentiment.score
""",
    ),
    "google discovery": (
        "google.vision.label_detection",
        """
from googleapiclient.discovery import build
def f(x):
    s = build("vision", "v1")
    return (
        s.images()
        .annotate(
            body={
                "requests": [{"image": {"content": x}, "features": [{"type": "LABEL_DETECTION"}]}]
            }
        )
        .execute()
    )
""",
    ),
    "google rest": (
        "google.vision.label_detection",
        """
import requests
def f(x):
    u = "https://vision.googleapis.com/v1/images:annotate?key=1"
    return requests.post(
        u,
        json={"requests": [{"image": {"content": x}, "features": [{"type": "LABEL_DETECTION"}]}]},
    ).json()
""",
    ),
    "google speech": (
        "google.speech.recognize",
        """
from google.cloud import speech
def f(x):
    return (
        speech.SpeechClient()
        .recognize(config={}, audio=speech.RecognitionAudio(content=x))
        .results
    )
""",
    ),
    "boto3 client": (
        "aws.rekognition.detect_labels",
        """
import boto3
def f(x):
    return boto3.client("rekognition").detect_labels(Image={"Bytes": x})["Labels"]
""",
    ),
    "boto3 session": (
        "aws.comprehend.detect_sentiment",
        """
import boto3
def f(x):
    return (
        boto3.Session(region_name="eu-west-1")
        .client("comprehend")
        .detect_sentiment(Text=x, LanguageCode="en")["Sentiment"]
    )
""",
    ),
    "boto3 constant": (
        "aws.textract.detect_document_text",
        """
import boto3
SERVICE = "textract"
c = boto3.client(SERVICE)
def f(x):
    return c.detect_document_text(Document={"Bytes": x})["Blocks"]
""",
    ),
    "aioboto3": (
        "aws.rekognition.detect_labels",
        """
import aioboto3
async def f(x):
    async with aioboto3.Session().client("rekognition") as c:
        return (await c.detect_labels(Image={"Bytes": x}))["Labels"]
""",
    ),
    "boto3 factory": (
        "aws.comprehend.detect_sentiment",
        """
import boto3
class A:
    def __init__(self):
        self.c = self.make()
    def make(self):
        return boto3.client("comprehend")
    def f(self, x):
        return self.c.detect_sentiment(Text=x, LanguageCode="en")["Sentiment"]
""",
    ),
    "azure text": (
        "azure.language.analyze_sentiment",
        """
from azure.ai.textanalytics import TextAnalyticsClient
def f(x):
    c = TextAnalyticsClient("https://a", None)
    return c.analyze_sentiment([x])[0].sentiment
""",
    ),
    "azure vision": (
        "azure.vision.analyze",
        """
from azure.ai.vision.imageanalysis import ImageAnalysisClient
def f(x):
    return (
        ImageAnalysisClient("https://a", None)
        .analyze(image_data=x, visual_features=["TAGS"])
        .tags
    )
""",
    ),
    "openai module": (
        "openai.chat_completions",
        """
import openai
def f(x):
    return openai.ChatCompletion.create(model="m", messages=[x])["choices"][0]["message"][
        "content"
    ]
""",
    ),
    "openai parse": (
        "openai.chat_completions",
        """
from openai import OpenAI
def f(x):
    return OpenAI().beta.chat.completions.parse(model="m", messages=[x]).choices[0].message.parsed
""",
    ),
    "openai moderation": (
        "openai.moderations",
        """
from openai import OpenAI
def f(x):
    return OpenAI().moderations.create(input=x).results[0].flagged
""",
    ),
    "whisper": (
        "openai.transcriptions",
        """
from openai import OpenAI
def f(p):
    return OpenAI().audio.transcriptions.create(model="whisper-1", file=open(p, "rb")).text
""",
    ),
    "hf inference client": (
        "huggingface.text_classification",
        """
from huggingface_hub import InferenceClient
def f(x):
    return InferenceClient().text_classification(x, model="m")
""",
    ),
    "hf rest constant": (
        "huggingface.text_classification",
        """
import requests
API_URL = (
    "https://api-inference.huggingface.co/models/distilbert-base-uncased-finetuned-sst-2-english"
)
def f(x):
    u = API_URL
    return requests.post(u, json={"inputs": x}).json()[0][0]["label"]
""",
    ),
    "hf rest fstring": (
        "huggingface.zero_shot_classification",
        """
import requests
BASE = "https://api-inference.huggingface.co/models"
MODEL = "facebook/bart-large-mnli"
def f(x):
    u = f"{BASE}/{MODEL}"
    return requests.post(
        u, json={"inputs": x, "parameters": {"candidate_labels": ["a", "b"]}}
    ).json()["labels"][0]
""",
    ),
    "hf pipeline": (
        "huggingface.text_classification",
        """
from transformers import pipeline
p = pipeline("sentiment-analysis")
def f(x):
    return p(x)[0]["label"]
""",
    ),
    "speech_recognition": (
        "google.speech.recognize",
        """
import speech_recognition as sr
def f(p):
    r = sr.Recognizer()
    with sr.AudioFile(p) as s:
        return r.recognize_google_cloud(r.record(s))
""",
    ),
    "httpx async rest": (
        "google.language.analyze_sentiment",
        """
import httpx
async def f(x):
    async with httpx.AsyncClient() as c:
        return (
            await c.post(
                "https://language.googleapis.com/v1/documents:analyzeSentiment",
                json={"document": {"content": x, "type": "PLAIN_TEXT"}},
            )
        ).json()["documentSentiment"]["score"]
""",
    ),
    "urllib rest": (
        "openai.moderations",
        """
import json, urllib.request
def f(x):
    r = urllib.request.Request(
        "https://api.openai.com/v1/moderations", data=json.dumps({"input": x}).encode()
    )
    return json.load(urllib.request.urlopen(r))["results"][0]["flagged"]
""",
    ),
    "client as a default": (
        "aws.rekognition.detect_faces",
        """
import boto3
def f(x, c=boto3.client("rekognition")):
    return c.detect_faces(Image={"Bytes": x})["FaceDetails"]
""",
    ),
    "client as a typed parameter": (
        "openai.chat_completions",
        """
from openai import OpenAI
def f(c: OpenAI, x):
    return c.chat.completions.create(model="m", messages=[x]).choices[0].message.content
""",
    ),
    "client as a typed attribute": (
        "openai.chat_completions",
        """
from openai import OpenAI
class A:
    def __init__(self, c: OpenAI):
        self.c = c
    def f(self, x):
        return self.c.chat.completions.create(model="m", messages=[x]).choices[0].message.content
""",
    ),
    "client from a cached factory": (
        "aws.rekognition.detect_text",
        """
import functools, boto3
@functools.lru_cache
def client():
    return boto3.client("rekognition")
def f(x):
    return client().detect_text(Image={"Bytes": x})["TextDetections"]
""",
    ),
    "client in a with block": (
        "aws.comprehend.detect_entities",
        """
import boto3
def f(x):
    with boto3.client("comprehend") as c:
        return c.detect_entities(Text=x, LanguageCode="en")["Entities"]
""",
    ),
    "client as a keyword of a helper": (
        "aws.comprehend.detect_sentiment",
        """
import boto3
def ask(*, client, text):
    return client.detect_sentiment(Text=text, LanguageCode="en")
def f(x):
    return ask(client=boto3.client("comprehend"), text=x)["Sentiment"]
""",
    ),
    "partial": (
        "aws.comprehend.detect_sentiment",
        """
import functools, boto3
ask = functools.partial(boto3.client("comprehend").detect_sentiment, LanguageCode="en")
def f(x):
    return ask(Text=x)["Sentiment"]
""",
    ),
    "bound method in a variable": (
        "aws.rekognition.detect_labels",
        """
import boto3
def f(x):
    ask = boto3.client("rekognition").detect_labels
    return ask(Image={"Bytes": x})["Labels"]
""",
    ),
    "import under another name": (
        "google.vision.face_detection",
        """
from google.cloud import vision as v
def f(x):
    return v.ImageAnnotatorClient().face_detection(image=v.Image(content=x)).face_annotations
""",
    ),
    "import in the function": (
        "google.language.analyze_entities",
        """
def f(x):
    from google.cloud import language_v1
    return language_v1.LanguageServiceClient().analyze_entities(document={"content": x}).entities
""",
    ),
    "nested function": (
        "aws.rekognition.detect_labels",
        """
import boto3
def f(xs):
    c = boto3.client("rekognition")
    def ask(x):
        return c.detect_labels(Image={"Bytes": x})["Labels"]
    return [ask(x) for x in xs]
""",
    ),
    "thread pool": (
        "aws.rekognition.detect_labels",
        """
import boto3
from concurrent.futures import ThreadPoolExecutor
c = boto3.client("rekognition")
def ask(x):
    return c.detect_labels(Image={"Bytes": x})["Labels"]
def f(xs):
    return list(ThreadPoolExecutor().map(ask, xs))
""",
    ),
    "requests session": (
        "openai.moderations",
        """
import requests
s = requests.Session()
def f(x):
    return s.post("https://api.openai.com/v1/moderations", json={"input": x}).json()["results"][
        0
    ]["flagged"]
""",
    ),
    "inherited client": (
        "aws.comprehend.detect_sentiment",
        """
import boto3
class Base:
    def __init__(self):
        self.c = boto3.client("comprehend")
class A(Base):
    def f(self, x):
        return self.c.detect_sentiment(Text=x, LanguageCode="en")["Sentiment"]
""",
    ),
    "property": (
        "aws.comprehend.detect_sentiment",
        """
import boto3
class A:
    @property
    def c(self):
        return boto3.client("comprehend")
    def f(self, x):
        return self.c.detect_sentiment(Text=x, LanguageCode="en")["Sentiment"]
""",
    ),
    "bedrock service by name": (
        "aws.bedrock-runtime.converse",
        """
import boto3
class A:
    def __init__(self):
        self.c = boto3.Session().client(service_name="bedrock-runtime", region_name="eu-west-1")
    def f(self, x):
        return self.c.converse(modelId="m", messages=[x])["output"]
""",
    ),
}
SEVERAL_FILES = {
    "app/asking.py": """
from app.services.client import service
def f(x):
    return service.mood(x) == 'NEGATIVE'
""",
    "app/services/client.py": """
from app.services.aws import Comprehend
service = Comprehend('en')
""",
    "app/services/aws.py": """
import boto3
class Comprehend:
    def __init__(self, language):
        self.language, self.client = language, boto3.client('comprehend')
    def mood(self, text):
        return self.client.detect_sentiment(Text=text, LanguageCode=self.language)['Sentiment']
""",
    "app/__init__.py": "",
    "app/services/__init__.py": "",
}
LANGUAGE_MODELS = {
    "anthropic.messages": """
from anthropic import Anthropic
class Model:
    def __init__(self):
        self.client = Anthropic()
    def tell(self, text):
        said = self.client.messages.create(model='m', max_tokens=9, messages=[text])
        return said.content[0].text
""",
    "aws.bedrock-runtime.converse": """
import boto3
class Model:
    def __init__(self):
        self.client = boto3.client('bedrock-runtime')
    def tell(self, text):
        said = self.client.converse(modelId='m', messages=[text])
        return said['output']['message']['content'][0]['text']
""",
    "gemini.generate_content": """
from google import genai
class Model:
    def __init__(self):
        self.client = genai.Client()
    def tell(self, text):
        return self.client.models.generate_content(model='m', contents=text).text
""",
}
ASKING = """
from app.model import Model
def f(x):
    return Model().tell(x)
"""


@pytest.mark.parametrize("way", WAYS)
def test_way_of_calling_is_found(way: str) -> None:
    api, source = WAYS[way]
    found = {name for target in everything({"app.py": source}).targets for name in target.apis}
    assert api in found


def test_call_several_files_away_is_found() -> None:
    targets = everything(SEVERAL_FILES).targets
    assert "app/asking.py::f" in {target.id for target in targets}


@pytest.mark.parametrize("api", LANGUAGE_MODELS)
def test_wrapper_in_another_file_is_found(api: str) -> None:
    files = {"app/__init__.py": "", "app/model.py": LANGUAGE_MODELS[api], "app/asking.py": ASKING}
    found = {target.id: target.apis for target in everything(files).targets}
    assert found["app/asking.py::f"] == (api,)
