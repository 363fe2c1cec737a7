"""Diagnosis of this machine: what works, and what to do about what does not."""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Callable, Iterator, Sequence

from PIL import Image, ImageDraw

from analyzers.cloud.repairs.related_words import related
from analyzers.relations.relation_tables import tables
from analyzers.vocabulary import InputRequest
from worker.check.leftovers import remove_leftovers
from worker.cli.hosting_checks import examine_hosting
from worker.cli.machine_checks import (
    FRAMEWORK,
    MachineCheck,
    examine_environments,
    examine_isolation,
)
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.engine_selection import Engines
from worker.errors import UsageError
from worker.settings.operator_settings import Settings
from worker.sources.fonts import FontKind, installed
from worker.sources.source_selection import NO_DOCUMENTS, NO_PICTURES, configured_sources
from worker.sources.spoken_recordings import english, synthesised
from worker.studies.study_journal import use_built_tables

WORD = "ASSAYER"
PACKAGES = ("fonts-dejavu-core", "fonts-liberation", "fonts-bwht", "fonts-comic-neue")


def examine(settings: Settings) -> Iterator[MachineCheck]:
    """Look at every part, trying it for real; yields as soon as each is known."""
    yield MachineCheck("clean-up", ok=True, detail=str(remove_leftovers(settings)))
    sandbox = settings.sandbox
    yield from examine_isolation(sandbox.uids, sandbox.isolation, sandbox.python)
    yield from examine_environments(settings.environments, sandbox.python)
    yield from _engines(settings)
    yield from _sources(settings)
    yield _fonts()
    yield _voices()
    found = related.available()
    detail = "WordNet is installed" if found else "WordNet is missing: labels are not repaired"
    yield (
        MachineCheck("related labels", found, detail, "" if found else "apt install wordnet-base")
    )
    yield _relation_tables()
    yield from examine_hosting(settings)


def _relation_tables() -> MachineCheck:
    use_built_tables()
    found = ", ".join(
        f"{each.library} {each.version}{'' if each.is_shipped else ' (built here)'}"
        for each in tables()
    )
    if found:
        return MachineCheck("relation tables", ok=True, detail=found)
    remedy = "Build one where the library is installed: assayer relations build."
    return MachineCheck("relation tables", ok=False, detail="none", remedy=remedy)


def _engines(settings: Settings) -> Iterator[MachineCheck]:
    try:
        engines = Engines.from_settings(settings.engines, offline=False)
    except UsageError as error:
        yield MachineCheck("engines", ok=False, detail=str(error), remedy="Correct the setting.")
        return
    for api, question in QUESTIONS.items():
        provider = api.rpartition(".")[0]
        if provider in settings.engines or provider.startswith("google."):
            yield _engine(engines, api, question())
        else:
            unset = f'not set: [engines."{provider}"] kind = "provider" and its credentials'
            yield MachineCheck(f"engine {provider}", ok=True, detail=unset, unset=True)


def _engine(engines: Engines, api: str, question: ApiRequest) -> MachineCheck:
    try:
        engine = engines.engine(api)
        engine.ask(api, question)
    except (NoAnswer, UsageError) as error:
        remedy = "Answers of this API are not tested until then."
        return MachineCheck(f"engine {api}", ok=False, detail=str(error), remedy=remedy)
    return MachineCheck(f"engine {api}", ok=True, detail=engine.identity)


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


def _sources(settings: Settings) -> Iterator[MachineCheck]:
    try:
        sources = configured_sources(settings.sources, offline=False)
    except UsageError as error:
        yield MachineCheck("sources", ok=False, detail=str(error), remedy="Correct the setting.")
        return
    for name, wanted in WISHES.items():
        if name not in settings.sources:
            unset = f"not set: {MISSING[name]}"
            yield MachineCheck(f"source {name}", ok=True, detail=unset, unset=True)
            continue
        supply = sources.find(wanted, 1, 0)
        failed = "; ".join(sources.outages)
        kind = settings.sources[name].kind
        remedy = "Inputs of this kind are not found until then." if failed else ""
        detail = failed or f"{kind}: {supply.shortfall or f'has {wanted.reading!r}'}"
        yield MachineCheck(f"source {name}", ok=not failed, detail=detail, remedy=remedy)


WISHES = {
    "images": InputRequest("google.vision.label_detection", "cat"),
    "documents": InputRequest("google.language.classify_text", "/Science/Physics"),
}
MISSING = {"images": NO_PICTURES, "documents": NO_DOCUMENTS}


def _voices() -> MachineCheck:
    found = english()
    detail = ", ".join(f"{voice.program}'s {voice.name}" for voice in found)
    if not found:
        detail = "no program speaks: speech is not tested"
        return MachineCheck("voices", ok=False, detail=detail, remedy="apt install flite")
    more = "" if synthesised("de") else "; other languages with espeak-ng"
    return MachineCheck("voices", ok=True, detail=detail + more)


def _fonts() -> MachineCheck:
    fonts = installed()
    written = sum(font.kind is FontKind.HANDWRITTEN for font in fonts)
    detail = f"{len(fonts) - written} printed, {written} handwriting"
    if written and len(fonts) > written:
        return MachineCheck("fonts", ok=True, detail=detail)
    remedy = f"apt install {' '.join(PACKAGES)}"
    return MachineCheck("fonts", ok=False, detail=detail, remedy=remedy)


# ------------------------------------------------------------------ what can be tested

_TASKS = {
    "google.vision.text_detection": "text in pictures",
    "google.language.analyze_sentiment": "sentiment",
    "google.vision.label_detection": "labels of pictures",
    "google.speech.recognize": "speech",
    "aws.rekognition.detect_labels": "Amazon Rekognition",
    "aws.comprehend.detect_sentiment": "Amazon Comprehend",
    "aws.textract.detect_document_text": "Amazon Textract",
    "azure.vision.analyze": "Azure AI Vision",
    "azure.language.analyze_sentiment": "Azure AI Language",
    "openai.moderations": "OpenAI",
}


def can_isolate(checks: Sequence[MachineCheck]) -> bool:
    """Return whether other people's code can be run here."""
    about = [check for check in checks if check.name.startswith(("isolation", "escape"))]
    return all(check.ok for check in about)


def can_be_tested(checks: Sequence[MachineCheck]) -> str:
    """Return what can be tested here, in a phrase."""
    works = {check.name: check for check in checks if check.ok and not check.unset}
    apis = [words for api, words in _TASKS.items() if f"engine {api}" in works]
    parts = [f"code that asks ML APIs for {_listed(apis)}"] if apis else []
    if f"framework {FRAMEWORK}" in works:
        version = works[f"framework {FRAMEWORK}"].detail.partition(",")[0].split()[0]
        parts.append(f"models and tensor code of {FRAMEWORK} {version}")
    if "relation tables" in works:
        parts.append(f"library calls ({works['relation tables'].detail})")
    if not parts:
        return "nothing yet; see what is missing above"
    said = "; ".join(parts)
    return said if can_isolate(checks) else f"only your own code, with --trust: {said}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + f" and {words[-1]}" if len(words) > 1 else words[0]
