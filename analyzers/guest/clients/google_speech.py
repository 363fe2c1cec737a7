"""What Google's speech clients ask, of every version."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterable, List, Mapping, Tuple

from .. import calls
from ..canonical import canonical
from ..messages import Schema
from ..spelling import read
from .contents import content_of

SPEECH = "google.cloud.speech.v1"
METHODS = ("recognize", "long_running_recognize", "streaming_recognize", "batch_recognize")
_LONGEST_STREAM = 4096


class Speech:
    """Turns the requests of speech clients into questions."""

    def __init__(self, schema: Schema, names: Mapping[str, str]) -> None:
        self._schema = schema
        self._names = names

    def answer(self, package: str, method: str, request: Any) -> Dict[str, Any]:
        """The canonical answer of a method; a stream's request is the iterable of its parts."""
        if method == "streaming_recognize":
            return self._streamed(package, request)
        if method == "batch_recognize":
            return self._batch(package, request)
        audio = read(request, "audio")
        holder = request if audio is None else audio
        content = content_of(read(holder, "content"))
        asked = (content, read(holder, "uri") or None)
        return self._ask(method, asked, self._parameters(package, request))

    def _ask(
        self, method: str, audio: Tuple[Any, Any], parameters: Dict[str, Any]
    ) -> Dict[str, Any]:
        api = self._names.get(method) or f"google.speech.{method}"
        content, uri = audio
        return dict(calls.ask(calls.Request(api, content, None, uri, parameters)))

    def _batch(self, package: str, request: Any) -> Dict[str, Any]:
        parameters = self._parameters(package, request)
        results: Dict[str, Any] = {}
        for file in read(request, "files") or []:
            uri = str(read(file, "uri") or "")
            answer = self._ask("recognize", (None, uri), parameters)
            transcript = {"results": answer.get("results", [])}
            inline = {"transcript": transcript}
            results[uri] = {"transcript": transcript, "inline_result": inline}
        return {"results": results}

    def _streamed(self, package: str, parts: Iterable[Any]) -> Dict[str, Any]:
        parameters: Dict[str, Any] = {}
        audio: List[bytes] = []
        for part in itertools.islice(parts, _LONGEST_STREAM):
            streaming = read(part, "streaming_config")
            if streaming is not None and not parameters:
                recognizer = {"recognizer": read(part, "recognizer")}
                given = {"config": read(streaming, "config"), **recognizer}
                parameters = self._parameters(package, given)
            heard = read(part, "audio_content") or read(part, "audio")
            audio += [bytes(heard)] if isinstance(heard, (bytes, bytearray)) else []
        content = b"".join(audio) or None
        answer = self._ask("streaming_recognize", (content, None), parameters)
        results = [{"is_final": True, **result} for result in answer.get("results", [])]
        return {**answer, "results": results}

    def _parameters(self, package: str, request: Any) -> Dict[str, Any]:
        """The configuration; the languages of every version as ``language_code``."""
        name = f"{package}.RecognitionConfig"
        if name not in self._schema.messages:
            name = f"{SPEECH}.RecognitionConfig"
        found = canonical(self._schema, name, read(request, "config"))
        languages = found.pop("language_codes", None)
        if languages:
            found["language_code"] = languages[0]
            if languages[1:]:
                found["alternative_language_codes"] = languages[1:]
        recognizer = read(request, "recognizer")
        if recognizer and not str(recognizer).endswith("/_"):
            found["recognizer"] = str(recognizer)
        return found
