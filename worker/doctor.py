"""What works on this machine, and what to do about what does not."""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Callable, Iterator

from PIL import Image, ImageDraw
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from analyzers.cloud.related import related
from worker.engines import ApiRequest, Engines, NoAnswer
from worker.errors import UsageError
from worker.sandbox.checks import Check
from worker.sandbox.doctor import examine_isolation
from worker.settings.server import Settings
from worker.sources.fonts import FontKind, installed
from worker.store import Store
from worker.sweeping import sweep

REDIS_SECONDS = 3
WORD = "ASSAYER"
PACKAGES = ("fonts-dejavu-core", "fonts-liberation", "fonts-bwht", "fonts-comic-neue")


def examine(settings: Settings) -> Iterator[Check]:
    """Look at every part, trying it for real; yields as soon as each is known."""
    yield _clean_up(settings)
    sandbox = settings.sandbox
    yield from examine_isolation(sandbox.uids, sandbox.isolation, sandbox.python)
    yield from _engines(settings)
    yield _fonts()
    yield _related_labels()
    yield _queue(settings)
    yield _store(settings)
    yield _gpu()


def _clean_up(settings: Settings) -> Check:
    """Remove what dead runs have left, and say what it was."""
    return Check("clean-up", ok=True, detail=str(sweep(settings)))


def _engines(settings: Settings) -> Iterator[Check]:
    try:
        engines = Engines.from_settings(settings.engines, offline=False)
    except UsageError as error:
        yield Check("engines", ok=False, detail=str(error), remedy="Correct the setting.")
        return
    for api, question in QUESTIONS.items():
        provider = api.rpartition(".")[0]
        if provider in settings.engines or provider.startswith("google."):
            yield _engine(engines, api, question())
        else:
            unset = f'not set: [engines."{provider}"] kind = "provider" and its credentials'
            yield Check(f"engine {provider}", ok=True, detail=unset)


def _engine(engines: Engines, api: str, question: ApiRequest) -> Check:
    try:
        engine = engines.engine(api)
        engine.ask(api, question)
    except (NoAnswer, UsageError) as error:
        remedy = "Answers of this API are not tested until then."
        return Check(f"engine {api}", ok=False, detail=str(error), remedy=remedy)
    return Check(f"engine {api}", ok=True, detail=engine.identity)


def _picture() -> bytes:
    picture = Image.new("RGB", (320, 96), "white")
    ImageDraw.Draw(picture).text((20, 20), WORD, fill="black", font_size=48)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def _sound() -> bytes:
    """Half a second of a tone at 500 Hz, which is taken for a voice."""
    wave_form = b"".join(struct.pack("<h", 4000 if at % 32 < 16 else -4000) for at in range(8000))
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 16_000, 0, "NONE", ""))
        sound.writeframes(wave_form)
    return file.getvalue()


def _words() -> ApiRequest:
    return ApiRequest(text="I love this.", parameters={"language": "en"})


QUESTIONS: dict[str, Callable[[], ApiRequest]] = {
    "google.vision.text_detection": lambda: ApiRequest(content=_picture()),
    "google.language.analyze_sentiment": _words,
    "google.vision.label_detection": lambda: ApiRequest(content=_picture()),
    "google.speech.recognize": lambda: ApiRequest(
        content=_sound(), parameters={"language_code": "en-US"}
    ),
    "aws.rekognition.detect_labels": lambda: ApiRequest(content=_picture()),
    "aws.comprehend.detect_sentiment": lambda: ApiRequest(
        text="I love this.", parameters={"LanguageCode": "en"}
    ),
    "aws.textract.detect_document_text": lambda: ApiRequest(content=_picture()),
    "azure.vision.analyze": lambda: ApiRequest(
        content=_picture(), parameters={"features": ["tags"]}
    ),
    "azure.language.analyze_sentiment": _words,
    # free of charge
    "openai.moderations": lambda: ApiRequest(text="I love this."),
}


def _fonts() -> Check:
    fonts = installed()
    written = sum(font.kind is FontKind.HANDWRITTEN for font in fonts)
    detail = f"{len(fonts) - written} printed, {written} handwriting"
    if written and len(fonts) > written:
        return Check("fonts", ok=True, detail=detail)
    remedy = f"apt install {' '.join(PACKAGES)}"
    return Check("fonts", ok=False, detail=detail, remedy=remedy)


def _related_labels() -> Check:
    found = related.available()
    detail = "WordNet is installed" if found else "WordNet is missing: labels are not repaired"
    return Check("related labels", found, detail, "" if found else "apt install wordnet-base")


def _queue(settings: Settings) -> Check:
    url = settings.queue.url
    if url is None:
        return Check("queue", ok=True, detail="none set: one process, no broker")
    try:
        with Redis.from_url(url, socket_timeout=REDIS_SECONDS) as redis:
            redis.ping()
    except (RedisError, ValueError) as error:
        return Check(
            "queue", ok=False, detail=str(error), remedy="Start Redis or correct queue.url."
        )
    return Check("queue", ok=True, detail="Redis answers")


def _store(settings: Settings) -> Check:
    try:
        with Store(settings.store.url) as store:
            store.ping()
    except ImportError as error:
        remedy = "Install the driver that store.url names."
        return Check("database", ok=False, detail=str(error), remedy=remedy)
    except (SQLAlchemyError, OSError) as error:
        detail = str(error).partition("\n")[0]
        return Check("database", ok=False, detail=detail, remedy="Correct store.url.")
    return Check("database", ok=True, detail=settings.store.url.partition(":")[0])


def _gpu() -> Check:
    return Check("GPU", ok=True, detail="not used by this version's analyzers")
