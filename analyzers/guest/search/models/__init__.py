"""The answer models, one file a family."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

from .base import Model
from .described import described
from .emotions import REKOGNITION_FACES
from .labels import LABELS, REKOGNITION_LABELS
from .likelihoods import FACES, SAFE_SEARCH
from .moderation import MODERATION
from .moods import AZURE_SENTIMENT, COMPREHEND_SENTIMENT
from .objects import ENTITIES, ENTITY_SENTIMENTS, LANDMARKS, LOGOS, OBJECTS
from .pictures import AZURE_PICTURE
from .readings import AZURE_READ, CHAT, HEARD, REKOGNITION_TEXT, RESPONSE, SPEECH, TEXTRACT_TEXT
from .sentiment import SENTIMENT
from .text import TEXT

MODELS: List[Tuple[str, Model]] = [
    ("google.vision.label_detection", LABELS),
    ("google.vision.text_detection", TEXT),
    ("google.vision.document_text_detection", TEXT),
    ("google.vision.object_localization", OBJECTS),
    ("google.vision.logo_detection", LOGOS),
    ("google.vision.landmark_detection", LANDMARKS),
    ("google.vision.face_detection", FACES),
    ("google.vision.safe_search_detection", SAFE_SEARCH),
    ("google.language.analyze_sentiment", SENTIMENT),
    ("google.language.analyze_entities", ENTITIES),
    ("google.language.analyze_entity_sentiment", ENTITY_SENTIMENTS),
    ("aws.rekognition.detect_labels", REKOGNITION_LABELS),
    ("aws.rekognition.detect_text", REKOGNITION_TEXT),
    ("aws.rekognition.detect_faces", REKOGNITION_FACES),
    ("aws.textract.detect_document_text", TEXTRACT_TEXT),
    ("aws.comprehend.detect_sentiment", COMPREHEND_SENTIMENT),
    ("aws.comprehend.batch_detect_sentiment", COMPREHEND_SENTIMENT),
    ("azure.language.analyze_sentiment", AZURE_SENTIMENT),
    ("azure.vision.analyze", AZURE_PICTURE),
    ("azure.vision.read", AZURE_READ),
    ("google.speech.recognize", SPEECH),
    ("google.speech.long_running_recognize", SPEECH),
    ("openai.moderations", MODERATION),
    ("openai.chat_completions", CHAT),
    ("openai.responses", RESPONSE),
    ("openai.transcriptions", HEARD),
    ("huggingface.automatic_speech_recognition", HEARD),
]


def model_for(entry: Mapping[str, Any]) -> Optional[Model]:
    """The model of an API, by its catalogue entry; ``None`` where there is none."""
    for name, model in MODELS:
        if name == entry["name"]:
            return model
    return described(entry)
