"""What works on this machine, and what to do about what does not."""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Callable, Iterator

from PIL import Image, ImageDraw

from analyzers.cloud.repairs.related import related
from analyzers.relations.table import tables
from analyzers.vocabulary import Wanted
from worker.engines import ApiRequest, Engines, NoAnswer
from worker.environments.examining import examine_environments
from worker.errors import UsageError
from worker.hosting import examine_hosting
from worker.relations import use_built
from worker.sandbox.checks import Check
from worker.sandbox.doctor import examine_isolation
from worker.settings.server import Settings
from worker.sources import configured
from worker.sources.choice import NO_DOCUMENTS, NO_PICTURES
from worker.sources.fonts import FontKind, installed
from worker.sources.voices import english, speaking
from worker.sweeping import sweep

WORD = "ASSAYER"
PACKAGES = ("fonts-dejavu-core", "fonts-liberation", "fonts-bwht", "fonts-comic-neue")


def examine(settings: Settings) -> Iterator[Check]:
    """Look at every part, trying it for real; yields as soon as each is known."""
    yield _clean_up(settings)
    sandbox = settings.sandbox
    yield from examine_isolation(sandbox.uids, sandbox.isolation, sandbox.python)
    yield from examine_environments(settings.environments, sandbox.python)
    yield from _engines(settings)
    yield from _sources(settings)
    yield _fonts()
    yield _voices()
    yield _related_labels()
    yield _relation_tables()
    yield from examine_hosting(settings)


def _relation_tables() -> Check:
    """The versions of libraries whose calls are compared with what is known of them."""
    use_built()
    found = ", ".join(
        f"{each.library} {each.version}{'' if each.is_shipped else ' (built here)'}"
        for each in tables()
    )
    if found:
        return Check("relation tables", ok=True, detail=found)
    remedy = "Build one where the library is installed: assayer relations build."
    return Check("relation tables", ok=False, detail="none", remedy=remedy)


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


def _sources(settings: Settings) -> Iterator[Check]:
    """Look for one input in each source that is set."""
    try:
        sources = configured(settings.sources, offline=False)
    except UsageError as error:
        yield Check("sources", ok=False, detail=str(error), remedy="Correct the setting.")
        return
    for name, wanted in WISHES.items():
        if name not in settings.sources:
            yield Check(f"source {name}", ok=True, detail=f"not set: {MISSING[name]}")
            continue
        supply = sources.find(wanted, 1, 0)
        failed = "; ".join(sources.outages)
        kind = settings.sources[name].kind
        remedy = "Inputs of this kind are not found until then." if failed else ""
        detail = failed or f"{kind}: {supply.shortfall or f'has {wanted.reading!r}'}"
        yield Check(f"source {name}", ok=not failed, detail=detail, remedy=remedy)


WISHES = {
    "images": Wanted("google.vision.label_detection", "cat"),
    "documents": Wanted("google.language.classify_text", "/Science/Physics"),
}
MISSING = {"images": NO_PICTURES, "documents": NO_DOCUMENTS}


def _voices() -> Check:
    found = english()
    detail = ", ".join(f"{voice.program}'s {voice.name}" for voice in found)
    if not found:
        detail = "no program speaks: speech is not tested"
        return Check("voices", ok=False, detail=detail, remedy="apt install flite")
    more = "" if speaking("de") else "; other languages with espeak-ng"
    return Check("voices", ok=True, detail=detail + more)


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
