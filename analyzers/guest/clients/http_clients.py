"""Plain HTTP clients, intercepted or behind the proxy: requests of known routes get answers."""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Mapping
from http.client import responses
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple
from urllib.parse import urlencode

from ..network.network import patch_certifi, patch_resolver
from ..network.routes import HttpRequest, Route
from ..network.unreachable import patch_asyncio
from ..protocol import api_calls
from ..runtime.assumptions import is_assuming
from ..runtime.standins import Entered, Inert, InertModule
from .anthropic import Anthropic
from .aws import Aws
from .azure import Azure
from .client_rules import ClientProject, ClientRule
from .described_apis import (
    DELIVERY,
    Asked,
    DescribedApis,
    Entry,
    failure,
    taken_delivery,
)
from .event_streams import cohere_events, content_parts, server_sent
from .google import Google
from .google_discovery import Service
from .http_transports import HttpTransports, sent
from .huggingface import HubInference
from .openai import OpenAI
from .other_providers import OtherProviders, is_streamed
from .schema_messages import Schema

_FORM = "multipart/form-data"


class JsonProviders:
    """Turns requests into questions, and answers into JSON bodies or streams of events."""

    def __init__(
        self, entries: Sequence[Entry], schema: Schema, asked: Asked = api_calls.ask
    ) -> None:
        described = DescribedApis(entries, schema, asked)
        self._aws = Aws(described)
        self._azure = Azure(described)
        self._openai = OpenAI(described)
        self._inference = HubInference(described)
        self._other = OtherProviders(described)
        self._anthropic = Anthropic(described)
        self._by: Dict[str, Callable[[Route, HttpRequest], Any]] = {
            "anthropic": self._of_anthropic,
            "aws": self._of_aws,
            "azure": self._of_azure,
            "openai": self._of_openai,
            "gemini": self._of_gemini,
            "huggingface": self._of_huggingface,
        }

    def answer(self, route: Route, call: HttpRequest) -> Any:
        """The body that answers a request; raises ``NoAnswer``, or ``ValueError``."""
        answer = self._by.get(route.provider.partition(".")[0], self._of_other)
        return answer(route, call)

    def _of_aws(self, route: Route, call: HttpRequest) -> Any:
        return self._aws.answer(route.entry, _parameters(call), in_base64=True)

    def _of_azure(self, route: Route, call: HttpRequest) -> Any:
        if route.provider == "azure.speech":
            return self._other.sent(route.entry, call.url, call.body)
        body = decoded_body(call) if _is_json(call) else call.body
        found = self._azure.wire(call.url, body)
        if route.provider == "azure.document":
            return found
        return self._azure.older(route.entry, call.url, body) if found is None else found

    def _of_openai(self, route: Route, call: HttpRequest) -> Any:
        body = _parameters(call) if _is_json(call) else _form(call)
        wire = self._openai.wire(route.entry, self._openai.answer(route.entry, body))
        return self._openai.events(route.entry, wire) if is_streamed(body) else wire

    def _of_anthropic(self, route: Route, call: HttpRequest) -> Any:
        body = _parameters(call)
        wire = self._anthropic.wire(route.entry, self._anthropic.answer(route.entry, body))
        return self._anthropic.events(route.entry, wire) if is_streamed(body) else wire

    def _of_gemini(self, route: Route, call: HttpRequest) -> Any:
        stream = ":streamGenerateContent" in call.url
        wire = self._other.posted(route.entry, {**_parameters(call), "stream": stream})
        if not stream:
            return wire
        parts = content_parts(wire)
        return server_sent(parts) if "alt=sse" in call.url else parts

    def _of_huggingface(self, route: Route, call: HttpRequest) -> Any:
        body = decoded_body(call) if _is_json(call) else bytes(call.body or b"")
        if not isinstance(body, (Mapping, bytes)):
            body = {"inputs": body}
        return self._inference.posted(route.entry, call.url, body)

    def _of_other(self, route: Route, call: HttpRequest) -> Any:
        body = _parameters(call) if _is_json(call) else bytes(call.body or b"")
        if not (isinstance(body, dict) and is_streamed(body)):
            return self._other.posted(route.entry, body)
        if route.provider != "cohere":
            return None
        wire = self._other.posted(route.entry, body)
        if "text" in wire:
            lines = (f"{json.dumps(each)}\n" for each in cohere_events(wire))
            return "".join(lines).encode()
        return server_sent(cohere_events(wire), named=True)


def decoded_body(call: HttpRequest) -> Any:
    """The body of a request as JSON; raises ``ValueError`` where it is none."""
    body = call.body
    if isinstance(body, (bytes, bytearray)):
        body = bytes(body).decode("utf-8", "replace")
    return json.loads(body) if isinstance(body, str) else body


def _parameters(call: HttpRequest) -> Dict[str, Any]:
    body = decoded_body(call)
    if not isinstance(body, Mapping):
        raise ValueError("the request is no JSON object")  # noqa: TRY004 - as json does
    return dict(body)


def _is_json(call: HttpRequest) -> bool:
    return isinstance(call.body, (str, Mapping)) or "json" in call.media or _looks_so(call)


def _looks_so(call: HttpRequest) -> bool:
    untold = call.media in ("", "application/x-www-form-urlencoded")
    return untold and bytes(call.body or b"").lstrip()[:1] in (b"{", b"[")


def _form(call: HttpRequest) -> Dict[str, Any]:
    if call.media != _FORM:
        raise ValueError("the request is neither JSON nor a form")
    from email import message_from_bytes, policy

    head = f"Content-Type: {call.headers['content-type']}\r\n\r\n".encode()
    fields: Dict[str, Any] = {}
    for part in message_from_bytes(head + bytes(call.body), policy=policy.HTTP).iter_parts():
        name, value = _part(part)
        fields[name] = value
    return fields


def _part(part: Any) -> Tuple[str, Any]:
    content = bytes(part.get_payload(decode=True) or b"")
    name = str(part.get_param("name", "", header="content-disposition"))
    file = part.get_filename()
    return name, content.decode("utf-8", "replace") if file is None else (file, content)


VERBS = ("get", "post", "put", "patch", "delete", "head", "options")


class Response(Entered):
    """A response as ``requests``, ``httpx`` and ``urllib`` all read it."""

    encoding = "utf-8"

    def __init__(self, body: Any, url: str) -> None:
        brought = taken_delivery(body)
        status = brought.get("status") or 200
        self._body = body
        self.status_code = self.status = self.code = status
        self.ok = self.is_success = status < 400
        self.is_error = not self.ok
        self.reason = responses.get(status, "OK")
        self.url = url
        self.fault: Callable[[Response], Exception] = _refused
        media = (
            "text/event-stream" if isinstance(body, bytes) else "application/json; charset=UTF-8"
        )
        self.headers = {"Content-Type": media, **(brought.get("headers") or {})}

    def json(self, **_: Any) -> Any:
        """The body as a dictionary."""
        return self._body

    @property
    def text(self) -> str:
        """The body as text."""
        if isinstance(self._body, bytes):
            return self._body.decode()
        return json.dumps(self._body, indent=2)

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self.text.encode()

    def read(self, *_: Any) -> bytes:
        """The body as bytes, as from a file."""
        return self.content

    def iter_lines(self, *_: Any, decode_unicode: bool = False, **__: Any) -> Iterator[Any]:
        """The lines of the body, as bytes or text."""
        for line in self.content.splitlines():
            yield line.decode() if decode_unicode else line

    def iter_content(self, *_: Any, **__: Any) -> Iterator[bytes]:
        """The body as one part."""
        yield self.content

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.content.splitlines(keepends=True))

    def getcode(self) -> int:
        """The status."""
        return int(self.status_code)

    def raise_for_status(self) -> Response:
        """Raise the client's error where the status is bad."""
        if not self.ok:
            raise self.fault(self)
        return self

    def close(self) -> None:
        """Nothing: there is no connection."""

    def __bool__(self) -> bool:
        return bool(self.ok)


def _refused(response: Response) -> Exception:
    from email.message import Message
    from urllib.error import HTTPError

    return HTTPError(response.url, int(response.status_code), response.reason, Message(), None)


Fault = Callable[[Response], Exception]


def _failing(answer: Any, fault: Fault) -> Any:
    """Return a response that raises its client's own error where its status is bad."""
    if isinstance(answer, Response):
        answer.fault = fault
    return answer


class Session(Entered):
    """A stand-in for ``requests.Session``."""

    send: Callable[..., Any]

    def __init__(self, *_: Any, **__: Any) -> None:
        self.headers: Dict[str, Any] = {}

    def request(self, *args: Any, **keywords: Any) -> Any:
        """Send a request."""
        return type(self).send(*args, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in VERBS:
            return functools.partial(self.request, name)
        return Inert(f"session.{name}")


_METHOD = re.compile(r"(?:/(v\d\w*))?/(?:[\w/-]*/)?([a-z]+)(?:/[\w-]+)?:(\w+)(?![\w/:])")


def http_rules(project: ClientProject) -> List[ClientRule]:
    """Return what is done about the modules of HTTP clients."""
    network = project.network
    rest = HttpInterception(project)
    network.serve(rest.served)
    transports = HttpTransports(rest.served)
    patched = [
        ClientRule(r"urllib3\.connectionpool", patch=transports.patch_urllib3),
        ClientRule(r"httpx2?\._transports\.default", patch=transports.patch_httpx),
        ClientRule(r"aiohttp\.client", patch=transports.patch_aiohttp),
        ClientRule(r"urllib\.request", patch=rest.patch_urllib),
        ClientRule(r"requests\.sessions", patch=rest.patch_requests),
        ClientRule("httpx", rest.patch_httpx, rest.requests_module),
        ClientRule("requests", standin=rest.requests_module),
    ]
    if network.closed:
        patched.append(ClientRule("asyncio", patch=patch_asyncio))
        patched.append(ClientRule(r"aiohttp\.resolver", patch=patch_resolver))
    if network.authority is not None:
        patched.append(ClientRule(r"certifi(\.core)?", patch=patch_certifi(network.authority)))
    return patched


class HttpInterception:
    """Answers the requests that the routes know; leaves the others alone."""

    def __init__(self, project: ClientProject) -> None:
        self._google = Google(project.entries, project.schema)
        self._routes = project.network.routes
        self._json = JsonProviders(self._routes.entries, project.schema)

    def answer(self, method: Any, url: Any, body: Any = None, headers: Any = None) -> Any:
        """Return the response to a call of a client, or ``None`` where the URL is not an API's."""
        response = sent(self.respond, method, str(getattr(url, "full_url", url)), headers, body)
        return Inert("response") if response is None and is_assuming() else response

    def asked(self, client: Any, method: Any, url: Any, args: Any, kw: Mapping[str, Any]) -> Any:
        """Return the response to a call of ``requests`` or ``httpx`` that cannot become bytes."""
        if kw.get("files"):
            return None
        headers = {**dict(getattr(client, "headers", None) or {}), **(kw.get("headers") or {})}
        base = getattr(client, "base_url", "")
        where = f"{base}{url}" if str(url).startswith("/") else str(url)
        if kw.get("params"):
            where += ("&" if "?" in where else "?") + urlencode(kw["params"], doseq=True)
        return self.answer(method, where, _payload(args, kw), headers)

    def respond(self, call: HttpRequest) -> Optional[Response]:
        """Return the response to a request, ``None`` without a route."""
        route = self._routes.find(call)
        if route is None:
            return None
        google = route.provider.startswith("google.")
        try:
            body = self._of_google(route, call) if google else self._json.answer(route, call)
        except api_calls.ServiceFailure as failed:
            if failed.status is None:
                raise
            said = failure(failed.status, route.provider)
            body = {**said, DELIVERY: {"status": failed.status}}
        return None if body is None else Response(body, call.url)

    def served(self, call: HttpRequest) -> Optional[Response]:
        """The response to a request that came as bytes."""
        symbolic = getattr(api_calls.session().supplier, "symbolic", False)
        if symbolic and self._routes.find(call) is not None:
            raise api_calls.session().refuse("an API was asked by bytes, which hold no unknowns")
        return self.respond(call)

    def _of_google(self, route: Route, call: HttpRequest) -> Optional[Any]:
        found = _METHOD.search(call.url)
        version, path, action = found.groups() if found else (None, "", "")
        service = Service(self._google, route.provider.rpartition(".")[2], version or "v1")
        method = service.methods.get(f"{path}.{action}")
        return None if method is None else service.answer(method, decoded_body(call))

    # ------------------------------------------------------------- patches

    def patch_requests(self, module: ModuleType) -> None:
        """Patch ``requests.sessions``."""
        session: Any = module.Session
        kind: Any = sys.modules["requests.exceptions"].HTTPError

        def fault(answer: Response) -> Exception:
            return kind(f"{answer.status_code} Client Error", response=answer)  # type: ignore[no-any-return]

        session.request = _unless_sendable(session.request, self._request(session.request, fault))

    def patch_httpx(self, module: ModuleType) -> None:
        """Patch ``httpx``."""
        kind: Any = module.HTTPStatusError

        def fault(answer: Response) -> Exception:
            said = f"Client error '{answer.status_code} {answer.reason}' for url '{answer.url}'"
            return kind(said, request=None, response=answer)  # type: ignore[no-any-return]

        client: Any = module.Client
        client.request = _unless_sendable(client.request, self._request(client.request, fault))
        later: Any = module.AsyncClient
        later.request = _unless_sendable(later.request, self._later(later.request, fault))

    def patch_urllib(self, module: ModuleType) -> None:
        """Patch ``urllib.request``."""
        original: Any = module.urlopen

        def urlopen(url: Any, data: Any = None, *args: Any, **kwargs: Any) -> Any:
            body = getattr(url, "data", None) if data is None else data
            verb = url.get_method() if hasattr(url, "get_method") else "POST"
            try:
                answer = self.answer(verb, url, body, getattr(url, "headers", None))
            except api_calls.ServiceFailure:
                raise TimeoutError("The read operation timed out") from None
            if answer is None:
                return original(url, data, *args, **kwargs)
            return answer.raise_for_status() if isinstance(answer, Response) else answer

        vars(module)["urlopen"] = urlopen

    def _request(self, original: Callable[..., Any], fault: Fault) -> Callable[..., Any]:
        def request(client: Any, method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.asked(client, method, url, args, kw)
            if answer is None:
                return original(client, method, url, *args, **kw)
            return _failing(answer, fault)

        return request

    def _later(self, original: Callable[..., Any], fault: Fault) -> Callable[..., Any]:
        async def request(client: Any, method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.asked(client, method, url, args, kw)
            if answer is None:
                return await original(client, method, url, *args, **kw)
            return _failing(answer, fault)

        return request

    def _plain(self, original: Callable[..., Any], fault: Fault) -> Callable[..., Any]:
        request = self._request(lambda _, *args, **kw: original(*args, **kw), fault)
        return functools.partial(request, None)

    # ------------------------------------------------------------ stand-ins

    def requests_module(self, name: str) -> InertModule:
        """A stand-in for ``requests``; other URLs give inert responses."""
        request = self._plain(lambda *_, **__: Inert("response"), _refused)
        module = InertModule(name)
        session: Any = type("Session", (Session,), {"send": staticmethod(request)})
        for spelling in ("Session", "session"):
            setattr(module, spelling, session)
        vars(module)["request"] = request
        for verb in VERBS:
            setattr(module, verb, getattr(session(), verb))
        return module


def _unless_sendable(original: Callable[..., Any], instead: Callable[..., Any]) -> Any:
    """Return a method that sends what can become bytes, and else does another thing."""

    def request(client: Any, method: Any, url: Any, *args: Any, **kw: Any) -> Any:
        chosen = original if _is_sendable(args, kw) else instead
        return chosen(client, method, url, *args, **kw)

    return request


def _is_sendable(args: Any, keywords: Mapping[str, Any]) -> bool:
    """Return whether a call can become bytes: it has no unknowns and no stand-ins."""
    if is_assuming() or not api_calls.session().faithful:
        return False
    try:
        json.dumps(keywords.get("json"))
    except (TypeError, ValueError):
        return False
    body = next((keywords[n] for n in ("data", "content") if keywords.get(n) is not None), None)
    return not isinstance(args[0] if args else body, Inert)


def _payload(args: Any, keywords: Mapping[str, Any]) -> Any:
    for name in ("json", "data", "content", "body"):
        if keywords.get(name) is not None:
            return keywords[name]
    return args[0] if args else None
