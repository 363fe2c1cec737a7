import io
import json

from google.cloud import language, vision
from google.cloud.language import enums
from google.cloud.language import types as language_types
from google.cloud.vision import types
from google.protobuf.json_format import MessageToDict, MessageToJson


def classify(path):
    client = vision.ImageAnnotatorClient()
    with io.open(path, "rb") as file:
        content = file.read()
    image = types.Image(content=content)
    labels = client.label_detection(image=image).label_annotations
    return [label.description for label in labels]


def by_uri(uri):
    client = vision.ImageAnnotatorClient()
    image = vision.types.Image()
    image.source.image_uri = uri
    return client.text_detection(image=image).text_annotations[0].description


def faces(content):
    client = vision.ImageAnnotatorClient()
    response = client.face_detection(image=types.Image(content=content))
    names = ("UNKNOWN", "VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY")
    return [names[face.joy_likelihood] for face in response.face_annotations]


def as_json(content):
    client = vision.ImageAnnotatorClient()
    response = client.face_detection(image=types.Image(content=content))
    whole = json.loads(MessageToJson(response))
    return MessageToDict(response) == whole, whole["faceAnnotations"][0]["joyLikelihood"]


def everything(function, argument):
    return globals()[function](argument)


def mood(text):
    client = language.LanguageServiceClient()
    document = language_types.Document(content=text, type=enums.Document.Type.PLAIN_TEXT)
    return client.analyze_sentiment(document=document).document_sentiment.score
