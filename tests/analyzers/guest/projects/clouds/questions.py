"""One question for each provider, asked by its client library and by plain HTTP."""

import base64
import json
import urllib.request

import requests

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "temperature": 0.5}
AMAZON = "https://{}.eu-west-1.amazonaws.com/"
AZURE = "https://mine.cognitiveservices.azure.com"
FACE = "https://router.huggingface.co/hf-inference/models/a/b"
GOOGLE = "https://{}.googleapis.com/v1/{}"
OPENAI = "https://api.openai.com/v1/"
TEXTS = ["good", "fine"]


def encoded(content):
    return base64.b64encode(content).decode()


def by_rekognition():
    import boto3

    client = boto3.client("rekognition", region_name="eu-west-1")
    client.detect_labels(Image={"Bytes": b"picture"}, MaxLabels=3)


def by_comprehend():
    import boto3

    client = boto3.client("comprehend", region_name="eu-west-1")
    client.batch_detect_sentiment(TextList=TEXTS, LanguageCode="en")


def by_textanalytics():
    from azure.ai.textanalytics import TextAnalyticsClient
    from azure.core.credentials import AzureKeyCredential

    TextAnalyticsClient(AZURE, AzureKeyCredential("k")).analyze_sentiment(TEXTS)


def by_imageanalysis():
    from azure.ai.vision.imageanalysis import ImageAnalysisClient
    from azure.ai.vision.imageanalysis.models import VisualFeatures
    from azure.core.credentials import AzureKeyCredential

    client = ImageAnalysisClient(AZURE, AzureKeyCredential("k"))
    features = [VisualFeatures.TAGS, VisualFeatures.DENSE_CAPTIONS]
    client.analyze(image_data=b"picture", visual_features=features)


def by_computervision():
    from azure.cognitiveservices.vision.computervision import ComputerVisionClient

    client = ComputerVisionClient(AZURE, None)
    client.analyze_image("https://example.com/a.png", visual_features=["Tags"], language="de")


def by_openai():
    from openai import OpenAI

    OpenAI().chat.completions.create(**CHAT)


def by_moderations():
    from openai import OpenAI

    OpenAI().moderations.create(input="fine")


def by_transcriptions():
    from openai import OpenAI

    file = ("a.wav", b"sound")
    OpenAI().audio.transcriptions.create(model="whisper-1", file=file, temperature=0.5)


def by_hub():
    from huggingface_hub import InferenceClient

    InferenceClient(model="a/b").text_classification("good", top_k=2)


def by_hub_labels():
    from huggingface_hub import InferenceClient

    InferenceClient(model="a/b").zero_shot_classification("good", ["x", "y"])


def by_hub_picture():
    from huggingface_hub import InferenceClient

    InferenceClient(model="a/b").image_classification(b"picture")


def by_hub_question():
    from huggingface_hub import InferenceClient

    InferenceClient(model="a/b").question_answering(question="who?", context="me")


def by_vision():
    from google.cloud import vision

    client = vision.ImageAnnotatorClient()
    client.label_detection(image=vision.Image(content=b"picture"), max_results=5)


def by_language():
    from google.cloud import language_v1 as language

    kind = language.Document.Type.PLAIN_TEXT
    document = language.Document(content="good", type_=kind, language="de")
    language.LanguageServiceClient().analyze_sentiment(document=document)


def by_speech():
    from google.cloud import speech

    config = speech.RecognitionConfig(language_code="en", sample_rate_hertz=8000)
    audio = speech.RecognitionAudio(content=b"sound")
    speech.SpeechClient().recognize(config=config, audio=audio)


def amazon(service, target, body):
    return AMAZON.format(service), {"X-Amz-Target": target}, json.dumps(body).encode()


def plain(url, body):
    return url, {"Content-Type": "application/json"}, json.dumps(body).encode()


def upload():
    """A form, as ``requests`` encodes it."""
    data = {"model": "whisper-1", "temperature": "0.5"}
    made = requests.Request("POST", "https://x", data=data, files={"file": ("a.wav", b"sound")})
    form = made.prepare()
    return OPENAI + "audio/transcriptions", dict(form.headers), form.body


PICTURE = {"image": {"content": encoded(b"picture")}}
LABELS = [{"type": "LABEL_DETECTION", "maxResults": 5}]
DOCUMENT = {"type": "PLAIN_TEXT", "content": "good", "language": "de"}
HEARD = {"languageCode": "en", "sampleRateHertz": 8000}
LISTED = [{"id": str(number), "text": text} for number, text in enumerate(TEXTS)]
ANALYSE = "/computervision/imageanalysis:analyze?features=tags,denseCaptions&api-version=2024"
REQUESTS = {
    "by_rekognition": lambda: amazon(
        "rekognition",
        "RekognitionService.DetectLabels",
        {"Image": {"Bytes": encoded(b"picture")}, "MaxLabels": 3},
    ),
    "by_comprehend": lambda: amazon(
        "comprehend",
        "Comprehend_20171127.BatchDetectSentiment",
        {"TextList": TEXTS, "LanguageCode": "en"},
    ),
    "by_textanalytics": lambda: plain(
        f"{AZURE}/text/analytics/v3.1/sentiment", {"documents": LISTED}
    ),
    "by_imageanalysis": lambda: (
        AZURE + ANALYSE,
        {"Content-Type": "application/octet-stream"},
        b"picture",
    ),
    "by_computervision": lambda: plain(
        f"{AZURE}/vision/v3.2/analyze?visualFeatures=Tags&language=de",
        {"url": "https://example.com/a.png"},
    ),
    "by_openai": lambda: plain(OPENAI + "chat/completions", CHAT),
    "by_moderations": lambda: plain(OPENAI + "moderations", {"input": "fine"}),
    "by_transcriptions": upload,
    "by_hub": lambda: plain(
        f"{FACE}/pipeline/text-classification", {"inputs": "good", "parameters": {"top_k": 2}}
    ),
    "by_hub_labels": lambda: plain(
        f"{FACE}/pipeline/zero-shot-classification",
        {"inputs": "good", "parameters": {"candidate_labels": ["x", "y"]}},
    ),
    "by_hub_picture": lambda: (
        f"{FACE}/pipeline/image-classification",
        {"Content-Type": "image/png"},
        b"picture",
    ),
    "by_hub_question": lambda: plain(
        f"{FACE}/pipeline/question-answering", {"inputs": {"question": "who?", "context": "me"}}
    ),
    "by_vision": lambda: plain(
        GOOGLE.format("vision", "images:annotate"), {"requests": [{**PICTURE, "features": LABELS}]}
    ),
    "by_language": lambda: plain(
        GOOGLE.format("language", "documents:analyzeSentiment"), {"document": DOCUMENT}
    ),
    "by_speech": lambda: plain(
        GOOGLE.format("speech", "speech:recognize"),
        {"config": HEARD, "audio": {"content": encoded(b"sound")}},
    ),
}


def by_sdk(name):
    globals()[name]()


def by_call(name):
    url, headers, body = REQUESTS[name]()
    requests.post(url, data=body, headers=headers).raise_for_status()


def by_bytes(name):
    url, headers, body = REQUESTS[name]()
    request = urllib.request.Request(url, body, headers)
    with urllib.request.build_opener().open(request, timeout=60) as response:
        response.read()


def everything(how, name):
    globals()[how](name)
