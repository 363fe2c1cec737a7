"""Text detection on this machine, by RapidOCR's models of PaddleOCR.

Pictures keep their size: RapidOCR's enlarging is eight times slower and reads less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analyzers.vocabulary import JsonObject
from worker.engines.engine import ApiRequest, LocalEngine, NoAnswer, NotAsked
from worker.engines.local import text_answers
from worker.engines.local.image_decoding import NotAnImage, decode, picture_fault
from worker.engines.local.text_answers import annotate
from worker.engines.local.text_lines import Size, TextLine, TextPiece, lines_of

Shape: TypeAlias = Callable[[Sequence[TextLine], Size], JsonObject]
SHAPES: Mapping[str, Shape] = {
    "google.vision.text_detection": annotate,
    "google.vision.document_text_detection": annotate,
    text_answers.REKOGNITION: text_answers.detections,
    text_answers.DOCUMENT_TEXT: text_answers.document,
    text_answers.ANALYSIS: text_answers.analysis,
    text_answers.ANALYZE: text_answers.analyzed,
    text_answers.READ: text_answers.read,
}
"""How each API says what is written."""
_READS = {
    text_answers.ANALYSIS: ("FeatureTypes", frozenset({"FORMS"})),
    text_answers.ANALYZE: ("features", frozenset({"read"})),
}
"""The parameter that says what to look for besides words, and what is looked for here."""
PACKAGE = "rapidocr-onnxruntime"
LONGEST = 1280
SHORT = 300
LEAST_SIDE = 8
_OPTIONS: dict[str, Any] = {
    "use_cls": False,
    "det_limit_type": "max",
    "det_limit_side_len": LONGEST,
    "det_unclip_ratio": 1.8,
    "intra_op_num_threads": 1,
    "inter_op_num_threads": 1,
}
Reader: TypeAlias = Callable[[NDArray[np.uint8]], Any]


class LocalText(LocalEngine):
    """Reads pictures, each thread with models of its own, loaded when the first one is read."""

    package = PACKAGE
    apis = SHAPES

    def __init__(self) -> None:
        self._idle: list[Reader] = []

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return a picture's writing as the API's response; raise ``NoAnswer``, ``Rejected``."""
        if request.content is None:
            raise NoAnswer("the local engine reads pictures, not addresses of pictures")
        _check(api, request.parameters)
        try:
            picture = decode(request.content, LONGEST)
        except NotAnImage:
            return picture_fault(api)
        return SHAPES[api](lines_of(self._pieces(picture)), picture.size)

    def _pieces(self, picture: Image.Image) -> list[TextPiece]:
        if min(picture.size) < LEAST_SIDE:
            return []
        scale = 2 if max(picture.size) < SHORT else 1
        if scale > 1:
            picture = picture.resize((picture.width * scale, picture.height * scale))
        pixels: NDArray[np.uint8] = np.asarray(picture)[:, :, ::-1]
        found, _ = self._read(np.ascontiguousarray(pixels))
        return [_piece(corners, text, score, scale) for corners, text, score in found or ()]

    def _read(self, pixels: NDArray[np.uint8]) -> Any:
        try:
            reader = self._idle.pop()
        except IndexError:
            reader = _loaded()
        found = reader(pixels)
        self._idle.append(reader)
        return found


def _loaded() -> Reader:
    if find_spec("rapidocr_onnxruntime") is None:
        raise NoAnswer(f"no engine for text on pictures: install {PACKAGE}")
    from rapidocr_onnxruntime import RapidOCR  # noqa: PLC0415 - half a second

    reader: Reader = RapidOCR(**_OPTIONS)
    return reader


def _check(api: str, parameters: JsonObject) -> None:
    """Raises ``NotAsked`` where an answer has more than the words of the whole picture."""
    name, known = _READS.get(api, ("", frozenset[str]()))
    wanted = parameters.get(name) or []
    beyond = [str(w) for w in wanted if w not in known] if isinstance(wanted, list) else []
    if name and (beyond or not wanted):
        provider = api.rpartition(".")[0]
        raise NotAsked(
            f"{api} was asked for {', '.join(beyond) or 'nothing that is known'}, of which the"
            f' local engine sees nothing: set [engines."{provider}"] kind = "provider" and its'
            " credentials"
        )
    if parameters.get("Filters"):
        raise NotAsked("the local engine reads the whole picture, without filters")


def _piece(corners: Any, text: str, score: float, scale: int) -> TextPiece:
    first, second, third, fourth = ((float(x) / scale, float(y) / scale) for x, y in corners)
    words = " ".join(text.split())
    return TextPiece(words, (first, second, third, fourth), float(score))
