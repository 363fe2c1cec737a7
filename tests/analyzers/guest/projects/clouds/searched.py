import boto3
from azure.ai.textanalytics import TextAnalyticsClient
from azure.ai.vision.imageanalysis import ImageAnalysisClient
from azure.ai.vision.imageanalysis.models import VisualFeatures
from azure.core.credentials import AzureKeyCredential
from google.cloud import speech
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


def is_smiling(image):
    client = boto3.client("rekognition")
    for face in client.detect_faces(Image={"Bytes": image}, Attributes=["ALL"])["FaceDetails"]:
        best = max(face["Emotions"], key=lambda emotion: emotion["Confidence"])
        if best["Type"] == "HAPPY" and face["AgeRange"]["Low"] > 18:
            return face["BoundingBox"]["Width"] / face["BoundingBox"]["Height"]
    return None


def is_receipt(image):
    found = boto3.client("textract").detect_document_text(Document={"Bytes": image})
    for block in found["Blocks"][1:]:
        if block["BlockType"] == "LINE" and "TOTAL" in block["Text"]:
            return block["Geometry"]["BoundingBox"]["Top"], block["Page"], block["Confidence"]
    return None


def is_person(text):
    found = boto3.client("comprehend").detect_entities(Text=text, LanguageCode="en")
    for entity in found["Entities"]:
        if entity["Type"] == "PERSON" and entity["Score"] > 0.8:
            return text[entity["BeginOffset"] : entity["EndOffset"]], entity["Text"]
    return None


def is_unsafe(image):
    found = boto3.client("rekognition").detect_moderation_labels(Image={"Bytes": image})
    for label in found["ModerationLabels"]:
        if label["Name"] == "Violence" and label["Confidence"] > 60:
            return label["ParentName"], label["TaxonomyLevel"], found["ModerationModelVersion"]
    return None


def pictured(image, *features):
    client = ImageAnalysisClient("https://x", AzureKeyCredential("key"))
    return client.analyze(image_data=image, visual_features=list(features))


def is_flame(image):
    result = pictured(image, VisualFeatures.TAGS)
    if any(tag.name == "flame" and tag.confidence > 0.8 for tag in result.tags.list):
        return result.metadata.width / result.metadata.height
    return None


def is_dog(image):
    caption = pictured(image, VisualFeatures.CAPTION).caption
    if "dog" in caption.text.split():
        return caption.text.split()[0]
    return caption.text.split()[0]


def is_way_out(image):
    result = pictured(image, VisualFeatures.READ)
    for line in result.read.blocks[0].lines:
        if line.text == "EXIT":
            return line.bounding_polygon[0].x, line.words[0].confidence
    return None


def is_stop(sound):
    audio = speech.RecognitionAudio(content=sound)
    for result in speech.SpeechClient().recognize(config={}, audio=audio).results:
        if "stop" in result.alternatives[0].transcript.lower():
            return result.alternatives[0].confidence
    return None
