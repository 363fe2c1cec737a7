"""Targets for the tests of the search: real parts around a tiny client."""

import inspect
import json
import textwrap
from pathlib import Path
from typing import Any

import analyzers.catalogue.api_catalogue as catalogue
from analyzers.guest.clients.schema_messages import Schema
from analyzers.guest.instrumentation.goals import RECORD, Recorder, instrument
from analyzers.guest.protocol import api_calls
from analyzers.guest.runtime import call_outcomes
from analyzers.guest.runtime.execution import PreparedTarget

SCHEMAS = {
    file.stem: json.loads(file.read_text())
    for file in Path(catalogue.__file__).parent.glob("schemas/google_*.json")
}
APIS = {
    "google.vision.label_detection": "google.cloud.vision.v1.AnnotateImageResponse",
    "google.vision.text_detection": "google.cloud.vision.v1.AnnotateImageResponse",
    "google.vision.face_detection": "google.cloud.vision.v1.AnnotateImageResponse",
    "google.language.analyze_sentiment": "google.cloud.language.v1.AnalyzeSentimentResponse",
}
ENTRIES = [dict(entry) for entry in catalogue.load_catalogue().as_json(APIS)]
_schema = Schema(SCHEMAS)


def ask(api: str, content: Any = None, text: Any = None) -> Any:
    """A client: asks, and wraps the answer as the SDK would."""
    if content is not None and not isinstance(content, bytes):
        raise TypeError("expected bytes")
    answer = api_calls.ask(api_calls.ApiRequest(api, content, text))
    if api_calls.session().faithful:
        answer = _schema.rounded(APIS[api], answer)
    return _schema.message(APIS[api])(answer)


def labels(content: bytes) -> Any:
    return ask("google.vision.label_detection", content).label_annotations


def faces(content: bytes) -> Any:
    return ask("google.vision.face_detection", content).face_annotations


def words(content: bytes) -> str:
    return ask("google.vision.text_detection", content).full_text_annotation.text


def mood(text: str) -> Any:
    return ask("google.language.analyze_sentiment", text=text).document_sentiment


def target(source: str, name: str = "f") -> PreparedTarget:
    """The function ``name`` of a source text, instrumented."""
    source = textwrap.dedent(source)
    module, points = instrument(source, "app.py")
    recorder = Recorder()
    namespace: dict[str, Any] = {"labels": labels, "faces": faces, "words": words, "mood": mood}
    namespace[RECORD] = recorder
    call_outcomes.remember("/project/app.py", source)
    exec(compile(module, "/project/app.py", "exec"), namespace)
    parameters = [
        {
            "name": parameter.name,
            "kind": parameter.kind.name.lower(),
            "default": parameter.default is not parameter.empty,
            "annotation": None,
        }
        for parameter in inspect.signature(namespace[name]).parameters.values()
    ]
    return PreparedTarget(
        root="/project",
        path="app.py",
        name=name,
        function=lambda: namespace[name],
        parameters=parameters,
        points=points,
        recorder=recorder,
        sources={"app.py": source},
        entries=ENTRIES,
        schemas=SCHEMAS,
        namespace=namespace,
    )


def message(prepared: PreparedTarget, **given: Any) -> dict[str, Any]:
    """A ``search`` frame that wants every point."""
    return {
        "type": "search",
        "goals": prepared.points,
        "seed": 0,
        "mutation_seconds": 0.5,
        "symbolic_seconds": 0.0,
        "max_list": 2,
        **given,
    }
