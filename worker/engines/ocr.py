"""Text detection on this machine, by RapidOCR's models of PaddleOCR.

Pictures are read at their own size: enlarging them, as RapidOCR does by
default, is eight times slower and reads less.  Upside-down writing is not
looked for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analyzers.vocabulary import JsonObject
from worker.engines.identity import local_identity
from worker.engines.images import NotAnImage, decode
from worker.engines.lines import Piece, rows
from worker.engines.request import ApiRequest, NoAnswer
from worker.engines.text_annotations import annotate

APIS = frozenset({"google.vision.text_detection", "google.vision.document_text_detection"})
PACKAGE = "rapidocr-onnxruntime"
LONGEST = 1280
SHORT = 300
LEAST_SIDE = 8
_REVISION = 1
_OPTIONS: dict[str, Any] = {
    "use_cls": False,
    "det_limit_type": "max",
    "det_limit_side_len": LONGEST,
    "det_unclip_ratio": 1.8,
    "intra_op_num_threads": 1,
    "inter_op_num_threads": 1,
}
Reader: TypeAlias = Callable[[NDArray[np.uint8]], Any]


class LocalText:
    """Reads pictures; the models are loaded when the first one is read."""

    local = True

    def __init__(self) -> None:
        self.identity = local_identity(PACKAGE, _REVISION)
        self._lock = threading.Lock()

    def answers(self, api: str) -> bool:
        """Text detection, of pictures and of documents."""
        return api in APIS

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The writing on a picture as an ``AnnotateImageResponse``.

        Bytes that are no picture get Google's own error in the answer.

        Raises:
            NoAnswer: there are no bytes, the picture is too large, or the
                engine is not installed.

        """
        del api
        if request.content is None:
            raise NoAnswer("the local engine reads pictures, not addresses of pictures")
        try:
            picture = decode(request.content, LONGEST)
        except NotAnImage:
            return {"error": {"code": 3, "message": "Bad image data."}}
        return annotate(rows(self._pieces(picture)), picture.width, picture.height)

    def _pieces(self, picture: Image.Image) -> list[Piece]:
        if min(picture.size) < LEAST_SIDE:
            return []
        scale = 2 if max(picture.size) < SHORT else 1
        if scale > 1:
            picture = picture.resize((picture.width * scale, picture.height * scale))
        pixels: NDArray[np.uint8] = np.asarray(picture)[:, :, ::-1]
        with self._lock:
            found, _ = self._read(np.ascontiguousarray(pixels))
        return [_piece(corners, text, score, scale) for corners, text, score in found or ()]

    @cached_property
    def _read(self) -> Reader:
        if find_spec("rapidocr_onnxruntime") is None:
            raise NoAnswer(f"no engine for text on pictures: install {PACKAGE}")
        from rapidocr_onnxruntime import RapidOCR  # noqa: PLC0415 - half a second

        read: Reader = RapidOCR(**_OPTIONS)
        return read


def _piece(corners: Any, text: str, score: float, scale: int) -> Piece:
    first, second, third, fourth = ((float(x) / scale, float(y) / scale) for x, y in corners)
    words = " ".join(text.split())
    return Piece(words, (first, second, third, fourth), float(score))
