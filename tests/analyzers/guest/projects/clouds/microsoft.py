import asyncio
import os

from azure.ai.textanalytics import TextAnalyticsClient, TextDocumentInput
from azure.ai.textanalytics.aio import TextAnalyticsClient as Later
from azure.ai.vision.imageanalysis import ImageAnalysisClient
from azure.ai.vision.imageanalysis.models import VisualFeatures
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import AzureError

ENDPOINT = os.environ.get("LANGUAGE_ENDPOINT")
KEY = os.environ.get("LANGUAGE_KEY")
language = TextAnalyticsClient(endpoint=ENDPOINT, credential=AzureKeyCredential(KEY))
vision = ImageAnalysisClient(endpoint=os.environ["VISION"], credential=AzureKeyCredential("key"))


def everything(function, argument):
    return globals()[function](argument)


def mood(text):
    (document,) = language.analyze_sentiment([text], language="en")
    if document.is_error:
        return document.error["code"] if isinstance(document, dict) else document.error.code
    return document.sentiment, document.confidence_scores.positive > 0.5


def moods(text):
    documents = [TextDocumentInput(id="7", text=text), TextDocumentInput(id="8", text="dull")]
    return [(one.id, one.sentiment) for one in language.analyze_sentiment(documents)]


def entities(text):
    found = language.recognize_entities([text])[0].entities
    return [(entity.category, entity.text) for entity in found if entity.confidence_score > 0.5]


def phrases(text):
    return language.extract_key_phrases(documents=[text])[0].key_phrases


def tongue(text):
    return language.detect_language([text])[0].primary_language.iso6391_name


async def _later(text):
    async with Later(ENDPOINT, AzureKeyCredential(KEY)) as client:
        results = await client.analyze_sentiment([text])
    return results[0].sentiment


def later(text):
    return asyncio.run(_later(text))


def tags(image):
    features = [VisualFeatures.TAGS, VisualFeatures.CAPTION]
    result = vision.analyze(image_data=image, visual_features=features)
    return [tag.name for tag in result.tags.list if tag.confidence > 0.8], result.caption.text


def words(address):
    result = vision.analyze_from_url(image_url=address, visual_features=[VisualFeatures.READ])
    return [line.text for block in result.read.blocks for line in block.lines]


def jobs(text):
    return language.begin_abstract_summary([text]).result()


def jobs_with_care(text):
    try:
        return jobs(text)
    except AzureError:
        return "no connection"


def wrong(text):
    return language.analyze_sentiment([text])[0].mood
