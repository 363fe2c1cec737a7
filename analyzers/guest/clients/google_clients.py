"""Stand-ins for the vision and language clients, of every generation's spelling."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Mapping, Sequence

from ..spelling import read
from .google import LANGUAGE_METHODS, response_name
from .google_first import FirstLanguage, FirstVision
from .standin_client import Client

_Shared = Mapping[str, Any]


def vision_clients(shared: _Shared) -> Dict[str, Any]:
    """The clients of a vision module; ``shared`` are the attributes of :class:`Client`."""
    features = shared["schema"].enum(f"{shared['package']}.Feature.Type")
    helpers = {feature.name.lower(): _detection(feature.name) for feature in features if feature}
    everything = [{"type": feature} for feature in features if feature]
    own = {**shared, "features": everything}
    return {
        "ImageAnnotatorClient": type("ImageAnnotatorClient", (_Vision,), {**own, **helpers}),
        "ImageAnnotatorAsyncClient": type("ImageAnnotatorAsyncClient", (_LaterVision,), own),
        "Client": type("Client", (FirstVision,), dict(shared)),
    }


def language_clients(shared: _Shared) -> Dict[str, Any]:
    """The clients of a language module."""
    methods = {method: _analysis(method) for method in LANGUAGE_METHODS}
    later = {method: awaited(analyze) for method, analyze in methods.items()}
    return {
        "LanguageServiceClient": type("LanguageServiceClient", (Client,), {**shared, **methods}),
        "LanguageServiceAsyncClient": type(
            "LanguageServiceAsyncClient", (Client,), {**shared, **later}
        ),
        "Client": type("Client", (FirstLanguage,), dict(shared)),
    }


def awaited(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method as an asynchronous client has it."""

    @functools.wraps(method)
    async def later(*args: Any, **options: Any) -> Any:
        return method(*args, **options)

    return later


def whole(request: Any, rest: Sequence[Any], fields: Mapping[str, Any], names: Any) -> Any:
    """A request from what a method is given.

    That is a request, or as in older generations the values of its fields
    ``names`` in their order, or fields by name.
    """
    if request is not None and all(read(request, name) is None for name in names):
        return {**dict(zip(names, (request, *rest))), **fields}
    return fields if request is None else request


class _Vision(Client):
    features: Any

    def annotate_image(self, request: Any, **_: Any) -> Any:
        if not read(request, "features"):
            image, context = read(request, "image"), read(request, "image_context")
            request = {"image": image, "image_context": context, "features": self.features}
        answer = self.answer("batch_annotate_images", {"requests": [request]})
        return self.message("AnnotateImageResponse", answer["responses"][0])

    def batch_annotate_images(self, request: Any = None, *rest: Any, **fields: Any) -> Any:
        if isinstance(request, (list, tuple)):
            request = {"requests": request}
        request = whole(request, rest, fields, ("requests",))
        answer = self.answer("batch_annotate_images", request)
        return self.message("BatchAnnotateImagesResponse", answer)

    def batch_annotate_files(self, *_: Any, **__: Any) -> Any:
        return self._refused("batch_annotate_files")

    def async_batch_annotate_files(self, *_: Any, **__: Any) -> Any:
        return self._refused("async_batch_annotate_files")

    def async_batch_annotate_images(self, *_: Any, **__: Any) -> Any:
        return self._refused("async_batch_annotate_images")

    def _refused(self, method: str) -> Any:
        return self.message("BatchAnnotateImagesResponse", self.answer(method, None))


class _LaterVision(Client):
    annotate_image = awaited(_Vision.annotate_image)
    batch_annotate_images = awaited(_Vision.batch_annotate_images)
    batch_annotate_files = awaited(_Vision.batch_annotate_files)
    async_batch_annotate_files = awaited(_Vision.async_batch_annotate_files)
    async_batch_annotate_images = awaited(_Vision.async_batch_annotate_images)


def _detection(feature: str) -> Callable[..., Any]:
    def detect(self: Any, image: Any, max_results: Any = None, **options: Any) -> Any:
        wanted = {"type": feature, "max_results": max_results}
        context = options.get("image_context")
        return self.annotate_image({"image": image, "features": [wanted], "image_context": context})

    return detect


def _analysis(method: str) -> Callable[..., Any]:
    names = ("document", "features") if method == "annotate_text" else ("document",)

    def analyze(self: Any, request: Any = None, *rest: Any, **fields: Any) -> Any:
        answer = self.answer(method, whole(request, rest, fields, names))
        return self.message(response_name(method), answer)

    return analyze
