"""A finding as a file from which it can be run again, offline.

The file names its inputs by path and digest, so nothing is taken on trust:
what does not match its schema or its digest is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never, get_args

from analyzers.vocabulary import (
    AnswerSource,
    Argument,
    Criterion,
    Exchange,
    Finding,
    Form,
    InertArgument,
    Input,
    InputArgument,
    InputKind,
    Level,
    LiteralArgument,
    Origin,
    Probe,
    Program,
    RecipeArgument,
    Status,
)
from analyzers.vocabulary.conversion import convert
from worker.errors import UsageError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

SCHEMA = "assayer-replay/1"
_FOLDER = Path(__file__).parent
_COPIED = (
    "analyzer",
    "rule",
    "path",
    "line",
    "end_line",
    "symbol",
    "target",
    "title",
    "message",
    "input_kind",
)


def _kind(criterion: type) -> str:
    return criterion.__name__.lower()


_CRITERIA: Mapping[str, Any] = {_kind(each): each for each in get_args(Criterion)}


# ------------------------------------------------------------------ writing


def write_replay(finding: Finding, inputs: Mapping[str, Path], directory: Path) -> Path:
    """Write ``replay/<fingerprint>.json``; ``inputs`` maps digests to files."""
    path = directory / "replay" / f"{finding.fingerprint}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_document(finding, inputs, directory), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def _document(finding: Finding, inputs: Mapping[str, Path], directory: Path) -> dict[str, Any]:
    items = {item.digest: item for probe in finding.probes for item in probe.inputs}
    return {
        "schema": SCHEMA,
        "fingerprint": finding.fingerprint,
        **{name: getattr(finding, name) for name in _COPIED},
        "level": finding.level.value,
        "status": finding.status.value,
        "evidence": finding.evidence,
        "criterion": {"kind": _kind(type(finding.criterion)), **asdict(finding.criterion)},
        "inputs": [
            _input_json(item, inputs[digest].relative_to(directory).as_posix())
            for digest, item in items.items()
        ],
        "probes": [_probe_json(probe) for probe in finding.probes],
    }


def _input_json(item: Input, file: str) -> dict[str, Any]:
    return {
        "digest": item.digest,
        "file": file,
        "kind": item.kind.value,
        "description": item.description,
        "reading": item.reading,
        "suffix": item.suffix,
        "origin": asdict(item.origin),
    }


def _probe_json(probe: Probe) -> dict[str, Any]:
    return {
        "arguments": {name: _argument_json(value) for name, value in probe.arguments.items()},
        "script": None if probe.script is None else list(map(asdict, probe.script)),
        **({"ensures": list(probe.ensures)} if probe.ensures else {}),
        **({"program": asdict(probe.program)} if probe.program else {}),
    }


def _argument_json(argument: Argument) -> dict[str, Any]:
    match argument:
        case LiteralArgument():
            return {"kind": "literal", "source": argument.source}
        case InputArgument():
            digest = None if argument.input is None else argument.input.digest
            return {"kind": "content", "form": argument.form.value, "input": digest}
        case InertArgument():
            return {"kind": "inert"}
        case RecipeArgument():
            return {"kind": "made", "recipe": argument.recipe}
        case _:
            assert_never(argument)


# ------------------------------------------------------------------ reading


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a check that reads none is quick

    schema = json.loads((_FOLDER / "replay-schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema)


def read_replay(path: Path) -> Finding:
    """Return the finding of a replay file with its inputs; raise ``UsageError``."""
    document = read_document(path, _validator())
    inputs = {each["digest"]: _read_input(each, path) for each in document["inputs"]}
    criterion = document["criterion"]
    finding = Finding(
        **{name: document[name] for name in _COPIED},
        level=Level(document["level"]),
        status=Status(document["status"]),
        evidence=document["evidence"],
        criterion=convert(criterion, _CRITERIA[criterion["kind"]]),
        probes=tuple(
            _read_probe(each, document["target"], inputs, path) for each in document["probes"]
        ),
    )
    if finding.fingerprint != document["fingerprint"]:
        raise UsageError("the fingerprint does not belong to this finding", file=str(path))
    return finding


def read_document(path: Path, validator: Draft202012Validator) -> dict[str, Any]:
    """Return the JSON object in a file, valid by ``validator``; raise ``UsageError``."""
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot be read: {error}", file=str(path)) from error
    from jsonschema.exceptions import best_match  # noqa: PLC0415

    problem = best_match(validator.iter_errors(document))
    if problem is not None:
        raise UsageError(problem.message[:300], file=str(path), key=problem.json_path)
    found: dict[str, Any] = document
    return found


def _read_input(document: Mapping[str, Any], replay: Path) -> Input:
    folder = replay.resolve().parents[1]
    file = (folder / document["file"]).resolve()
    if not file.is_relative_to(folder):
        raise UsageError(f"the input {document['file']} lies outside {folder}", file=str(replay))
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"an input cannot be read: {error}", file=str(replay)) from error
    item = Input(
        InputKind(document["kind"]),
        content,
        document["description"],
        document["reading"],
        document["suffix"],
        Origin(**document["origin"]),
    )
    if item.digest != document["digest"]:
        raise UsageError(f"the input {document['file']} has changed", file=str(replay))
    return item


def _read_probe(
    document: Mapping[str, Any], target: str, inputs: Mapping[str, Input], replay: Path
) -> Probe:
    try:
        arguments = {
            name: _read_argument(value, inputs) for name, value in document["arguments"].items()
        }
    except KeyError as missing:
        raise UsageError(f"the input {missing} is not listed", file=str(replay)) from missing
    script = document["script"]
    return Probe(
        target,
        arguments,
        None if script is None else tuple(map(_read_exchange, script)),
        tuple(document.get("ensures", ())),
        program=Program(**document["program"]) if "program" in document else None,
    )


def _read_exchange(document: Mapping[str, Any]) -> Exchange:
    source = AnswerSource(document.get("source", AnswerSource.SIMULATED))
    return Exchange(document["api"], document["digest"], document["answer"], source)


def _read_argument(document: Mapping[str, Any], inputs: Mapping[str, Input]) -> Argument:
    if document["kind"] == "literal":
        return LiteralArgument(document["source"])
    if document["kind"] == "inert":
        return InertArgument()
    if document["kind"] == "made":
        return RecipeArgument(document["recipe"])
    digest = document["input"]
    return InputArgument(Form(document["form"]), None if digest is None else inputs[digest])
