"""Transports of HTTP libraries, which every SDK is built on: answered where bytes would leave."""

from __future__ import annotations

import asyncio
import inspect
import io
import json
from collections.abc import Iterable, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Dict, Optional

from ..network import unreachable
from ..network.routes import HttpRequest
from ..protocol import api_calls

Respond = Callable[[HttpRequest], Optional[Any]]
"""Return an answer with ``status_code``, ``reason``, ``headers`` and ``content``, or ``None``."""


def sent(respond: Respond, method: Any, url: str, headers: Any, body: Any) -> Optional[Any]:
    """Return the answer to what is sent, ``None`` for an address that is not described."""
    lowered = {str(name).lower(): str(value) for name, value in dict(headers or {}).items()}
    try:
        answer = respond(HttpRequest(str(method), url, lowered, whole_body(body)))
    except ValueError as error:
        raise api_calls.session().refuse(f"the request to {url} cannot be read") from error
    if answer is None:
        unreachable.note_url(url)
    return answer


class HttpTransports:
    """Patches the transports of ``urllib3``, ``httpx`` and ``aiohttp`` with ``respond``."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def patch_urllib3(self, module: ModuleType) -> None:
        """Patch ``urllib3.connectionpool``, which ``requests`` sends through, too."""
        pool: Any = module.HTTPConnectionPool
        original: Any = pool.urlopen

        def urlopen(
            own: Any, method: Any, url: Any, body: Any = None, headers: Any = None,
            *args: Any, **options: Any,
        ) -> Any:  # fmt: skip
            path = str(url)
            default = {"http": 80, "https": 443}.get(own.scheme)
            port = "" if own.port in (None, default) else f":{own.port}"
            where = path if "://" in path else f"{own.scheme}://{own.host}{port}{path}"
            try:
                answer = sent(self._respond, method, where, headers, body)
            except api_calls.ServiceFailure:
                from urllib3.exceptions import ReadTimeoutError

                raise ReadTimeoutError(own, path, "Read timed out.") from None
            if answer is None:
                return original(own, method, url, body, headers, *args, **options)
            from urllib3.response import HTTPResponse

            return HTTPResponse(
                body=io.BytesIO(answer.content),
                headers=answer.headers,
                status=answer.status_code,
                reason=answer.reason,
                preload_content=options.get("preload_content", True),
                decode_content=options.get("decode_content", True),
            )

        pool.urlopen = urlopen

    def patch_httpx(self, module: ModuleType) -> None:
        """Patch ``httpx._transports.default``, or that of ``httpx2``; custom transports stay."""
        kind: Any = module.Response
        now: Any = module.HTTPTransport
        later: Any = module.AsyncHTTPTransport
        original, original_later = now.handle_request, later.handle_async_request

        def made(request: Any, content: bytes) -> Any:
            try:
                answer = sent(
                    self._respond, request.method, str(request.url), request.headers, content
                )
            except api_calls.ServiceFailure:
                late: Any = module.ReadTimeout
                raise late("The read operation timed out", request=request) from None
            if answer is None:
                return None
            about = {"headers": answer.headers, "content": answer.content}
            return kind(answer.status_code, request=request, **about)

        def handle(own: Any, request: Any) -> Any:
            response = made(request, request.read())
            return original(own, request) if response is None else response

        async def handle_later(own: Any, request: Any) -> Any:
            response = made(request, await request.aread())
            return await original_later(own, request) if response is None else response

        now.handle_request, later.handle_async_request = handle, handle_later

    def patch_aiohttp(self, module: ModuleType) -> None:
        """Patch ``aiohttp.client``."""
        session: Any = module.ClientSession
        original: Any = session._request

        async def request(own: Any, method: Any, address: Any, **options: Any) -> Any:
            url = own._build_url(address)
            if options.get("params"):
                url = url.update_query(options["params"])
            headers = own._prepare_headers(options.get("headers"))
            body = options.get("data")
            if options.get("json") is not None:
                body = json.dumps(options["json"])
                headers.setdefault("Content-Type", "application/json")
            given = body is None or isinstance(body, (str, bytes, bytearray, Mapping))
            try:
                answer = sent(self._respond, method, str(url), headers, body) if given else None
            except api_calls.ServiceFailure:
                raise asyncio.TimeoutError from None
            if answer is None:
                return await original(own, method, address, **options)
            response = _aiohttp_response(module, own, str(method).upper(), url, answer)
            strict = options.get("raise_for_status")
            if strict or (strict is None and getattr(own, "_raise_for_status", None) is True):
                response.raise_for_status()
            return response

        session._request = request


def _aiohttp_response(module: Any, session: Any, method: str, url: Any, answer: Any) -> Any:
    """Return a ``ClientResponse`` of the library itself that has come whole."""
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.helpers import TimerNoop
    from aiohttp.streams import StreamReader
    from multidict import CIMultiDict, CIMultiDictProxy

    loop, kind = session._loop, module.ClientResponse
    headers = CIMultiDictProxy(CIMultiDict(answer.headers))
    given: Dict[str, Any] = {
        "writer": None, "continue100": None, "timer": TimerNoop(), "traces": [], "loop": loop,
        "session": session, "stream_writer": SimpleNamespace(output_size=0),
        "request_info": module.RequestInfo(url, method, headers, url),
    }  # fmt: skip
    known = inspect.signature(kind.__init__).parameters
    response = kind(method, url, **{name: given[name] for name in given if name in known})
    response.status, response.reason = answer.status_code, answer.reason
    response._headers, response._raw_headers = headers, ()
    response.content = StreamReader(ResponseHandler(loop), 2**16, loop=loop)
    response.content.feed_data(answer.content)
    response.content.feed_eof()
    return response


def whole_body(body: Any) -> Any:
    """Return a body as it was given, or the bytes of one that is read or iterated."""
    if hasattr(body, "read"):
        return body.read()
    if isinstance(body, (str, bytes, Mapping)) or not isinstance(body, Iterable):
        return body
    return b"".join(part if isinstance(part, bytes) else str(part).encode() for part in body)
