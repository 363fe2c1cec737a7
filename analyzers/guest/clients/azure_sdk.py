"""The installed Azure SDKs, with their requests caught where they would be sent."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any, Callable, Dict, Iterator
from urllib.parse import urlsplit

from .. import calls
from .azure import Azure

ENDPOINT = "https://assayer.invalid"
KEY = "assayer"
_CLIENTS = ("TextAnalyticsClient", "ImageAnalysisClient")


class Sdk:
    """Patches ``azure.core``, on which all current SDKs are built."""

    def __init__(self, azure: Azure) -> None:
        self._azure = azure

    def pipeline(self, module: ModuleType) -> None:
        """Patch ``azure.core.pipeline._base``: no policy runs, no token is fetched."""
        kind: Any = vars(module)["Pipeline"]

        def run(pipeline: Any, request: Any, **options: Any) -> Any:
            return self._run(pipeline, request, options)

        kind.run = run

    def later_pipeline(self, module: ModuleType) -> None:
        """Patch ``azure.core.pipeline._base_async``."""
        kind: Any = vars(module)["AsyncPipeline"]

        async def run(pipeline: Any, request: Any, **options: Any) -> Any:
            return self._run(pipeline, request, options)

        kind.run = run

    def credentials(self, module: ModuleType) -> None:
        """Patch ``azure.core.credentials``: a key that is not here will do."""
        kind: Any = vars(module)["AzureKeyCredential"]
        original = kind.__init__

        def made(self: Any, key: Any) -> None:
            original(self, str(key) if key else KEY)

        kind.__init__ = made

    def clients(self, module: ModuleType) -> None:
        """Patch the packages of the clients: an address that is not here will do."""
        for name in _CLIENTS:
            client: Any = vars(module).get(name)
            if client is not None and not hasattr(client.__init__, "_assayer"):
                client.__init__ = _with_endpoint(client.__init__)

    def _run(self, pipeline: Any, request: Any, options: Dict[str, Any]) -> Any:
        from azure.core.pipeline import PipelineContext, PipelineResponse

        wire = self._azure.wire(str(request.url), _body(request))
        if wire is None:
            raise unreachable(request)
        context: Any = PipelineContext(getattr(pipeline, "_transport", None), **options)
        context["deserialized_data"] = wire
        return PipelineResponse(request, Response(request, wire), context)


def _with_endpoint(original: Callable[..., Any]) -> Callable[..., Any]:
    def made(self: Any, endpoint: Any = None, *args: Any, **options: Any) -> None:
        original(self, str(endpoint) if endpoint else ENDPOINT, *args, **options)

    made.__dict__["_assayer"] = True
    return made


def _body(request: Any) -> Any:
    """The body of a request: an object where it is JSON, else its bytes."""
    content: Any = getattr(request, "content", None)
    body: Any = getattr(request, "body", None) if content is None else content
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, (str, bytes)):
        try:
            return json.loads(body)
        except ValueError:
            return body.encode() if isinstance(body, str) else body
    return body


def unreachable(request: Any) -> Exception:
    """What a client raises for a request that no described API answers."""
    from azure.core.exceptions import ServiceRequestError

    parts = urlsplit(str(request.url))
    name = f"azure.{request.method} {parts.netloc}{parts.path}"
    message = f"Cannot connect to {name}: no described ML API"
    return calls.unanswered(name, ServiceRequestError(message))


class Response:
    """A response as ``azure.core`` reads it."""

    status_code = 200
    reason = "OK"
    content_type = "application/json"
    encoding = "utf-8"
    is_closed = True
    is_stream_consumed = True

    def __init__(self, request: Any, wire: Any) -> None:
        self.request = request
        self.url = str(request.url)
        self.headers = {"content-type": self.content_type}
        self._wire = wire

    def json(self) -> Any:
        """The body as an object."""
        return self._wire

    def text(self, encoding: Any = None) -> str:
        """The body as text."""
        del encoding
        return json.dumps(self._wire)

    def body(self) -> bytes:
        """The body as bytes."""
        return self.text().encode()

    read = body

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self.body()

    def iter_bytes(self, **_: Any) -> Iterator[bytes]:
        """The body in one piece."""
        yield self.body()

    def raise_for_status(self) -> None:
        """Nothing: the status is good."""

    def close(self) -> None:
        """Nothing: there is no connection."""
