"""Diagnosis of this machine: what works, and what to do about what does not."""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from PIL import Image, ImageDraw
from rich.console import Console
from rich.markup import escape

from analyzers.cloud.repairs.related_words import related
from analyzers.relations.relation_tables import tables
from analyzers.vocabulary import InputRequest
from worker.check.leftovers import remove_leftovers
from worker.cli.hosting_checks import examine_hosting
from worker.cli.machine_checks import MachineCheck, examine_environments, examine_isolation
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.engine_selection import Engines
from worker.errors import UsageError
from worker.settings.operator_settings import Settings, read_settings
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
            yield MachineCheck(f"engine {provider}", ok=True, detail=unset)


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
            yield MachineCheck(f"source {name}", ok=True, detail=f"not set: {MISSING[name]}")
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


EXIT_BROKEN = 3


@click.command(epilog="Exit status: 0 tested code can be isolated, 3 it cannot.")
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), metavar="FILE")
def doctor(settings_file: Path | None) -> int:
    """Say what works on this machine and what to do about the rest.

    Tries the known escapes against the isolation that tested code runs in,
    asks every engine a question, and looks for fonts.  Of the hosted bot it
    looks at the queue, the database, the blobs, the GitHub App and which
    processes are there.
    """
    console = Console(highlight=False, soft_wrap=True)
    isolated = True
    for check in examine(read_settings(settings_file)):
        mark = "[green]ok[/]  " if check.ok else "[yellow]no[/]  "
        console.print(f"{mark}{escape(check.name)}: {escape(check.detail)}")
        if not check.ok and check.remedy:
            console.print(f"      {escape(check.remedy)}")
        about_isolation = check.name == "isolation" or check.name.startswith("escape")
        isolated = isolated and (check.ok or not about_isolation)
    return 0 if isolated else EXIT_BROKEN
