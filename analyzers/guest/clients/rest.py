"""Plain HTTP and discovery clients: requests to the URLs of the catalogue."""

from __future__ import annotations

import json
import re
from types import ModuleType
from typing import Any, Callable, Dict, List, Mapping, Optional

from .. import calls
from ..spelling import read, snake, snaked
from ..standins import Inert, InertModule
from .family import Project, Rule
from .google import LANGUAGE, VISION, Google, response_name
from .http import ANALYZE, VERBS, Documents, Resource, Response, Session

_ANNOTATE = re.compile(r"/images:annotate(?:$|[?#])")


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of HTTP clients."""
    rest = Rest(Google(project.entries, project.schema))
    return [
        Rule(r"urllib\.request", patch=rest.patch_urllib),
        Rule(r"requests\.sessions", patch=rest.patch_requests),
        Rule("httpx", rest.patch_httpx, rest.requests_module),
        Rule("requests", standin=rest.requests_module),
    ]


class Rest:
    """Answers the URLs that are known; leaves the others alone."""

    def __init__(self, google: Google) -> None:
        self._google = google

    def answer(self, url: Any, body: Any) -> Optional[Response]:
        """The response to a request, or ``None`` where the URL is not an API's."""
        url = str(getattr(url, "full_url", url))
        method = ANALYZE.search(url)
        if _ANNOTATE.search(url):
            return Response(self.vision(_body(body)), url)
        if method:
            return Response(self.language(snake(method.group(1)), _body(body)), url)
        return None

    def vision(self, body: Any) -> Dict[str, Any]:
        """The JSON that answers ``images:annotate``."""
        schema = self._google.schema
        answers = [self._google.annotate(item) for item in read(body, "requests") or []]
        name = f"{VISION}.AnnotateImageResponse"
        return {"responses": [schema.rest(name, answer) for answer in answers]}

    def language(self, method: str, body: Any) -> Dict[str, Any]:
        """The JSON that answers ``documents:METHOD``."""
        answer = self._google.analyze(method, body)
        name = f"{LANGUAGE}.{response_name(method)}"
        return dict(self._google.schema.rest(name, answer))

    # ------------------------------------------------------------- patches

    def patch_requests(self, module: ModuleType) -> None:
        """Patch ``requests.sessions``."""
        session: Any = module.Session
        session.request = self._request(session.request)

    def patch_httpx(self, module: ModuleType) -> None:
        """Patch ``httpx``."""
        client: Any = module.Client
        client.request = self._request(client.request)
        later: Any = module.AsyncClient
        later.request = self._later(later.request)
        plain: Any = module.request
        vars(module)["request"] = self._plain(plain)
        for verb in ("get", "post", "put"):
            setattr(module, verb, self._verb(verb, getattr(module, verb)))

    def patch_urllib(self, module: ModuleType) -> None:
        """Patch ``urllib.request``."""
        original: Any = module.urlopen

        def urlopen(url: Any, data: Any = None, *args: Any, **kwargs: Any) -> Any:
            body = getattr(url, "data", None) if data is None else data
            answer = self.answer(url, body)
            return original(url, data, *args, **kwargs) if answer is None else answer

        vars(module)["urlopen"] = urlopen

    def patch_discovery(self, module: ModuleType) -> None:
        """Patch ``googleapiclient.discovery``, real or stand-in."""
        vars(module)["build"] = self.build

    def build(self, service: Any = "", *_: Any, **options: Any) -> Any:
        """A discovery service; an inert one where it is no ML API."""
        name = options.get("serviceName", service)
        if name == "vision":
            return Resource(images=Resource(annotate=self.vision))
        if name == "language":
            return Resource(documents=Documents(self.language))
        return Inert(f"discovery.{name}")

    def _request(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def request(client: Any, method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(_joined(client, url), _payload(args, kw))
            return original(client, method, url, *args, **kw) if answer is None else answer

        return request

    def _later(self, original: Callable[..., Any]) -> Callable[..., Any]:
        async def request(client: Any, method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(_joined(client, url), _payload(args, kw))
            if answer is None:
                return await original(client, method, url, *args, **kw)
            return answer

        return request

    def _plain(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def request(method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(url, _payload(args, kw))
            return original(method, url, *args, **kw) if answer is None else answer

        return request

    def _verb(self, verb: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def request(url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(url, _payload(args, kw))
            return original(url, *args, **kw) if answer is None else answer

        request.__name__ = verb
        return request

    # ------------------------------------------------------------ stand-ins

    def requests_module(self, name: str) -> InertModule:
        """A stand-in for ``requests``; other URLs give inert responses."""

        def request(method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            del method
            answer = self.answer(url, _payload(args, kw))
            return Inert("response") if answer is None else answer

        module = InertModule(name)
        session: Any = type("Session", (Session,), {"send": staticmethod(request)})
        for spelling in ("Session", "session"):
            setattr(module, spelling, session)
        vars(module)["request"] = request
        for verb in VERBS:
            setattr(module, verb, getattr(session(), verb))
        return module

    def discovery_module(self, name: str) -> InertModule:
        """A stand-in for ``googleapiclient.discovery``."""
        module = InertModule(name)
        self.patch_discovery(module)
        return module


def _joined(client: Any, url: Any) -> str:
    base = getattr(client, "base_url", "")
    return f"{base}{url}" if str(url).startswith("/") else str(url)


def _payload(args: Any, keywords: Mapping[str, Any]) -> Any:
    for name in ("json", "data", "content", "body"):
        if keywords.get(name) is not None:
            return keywords[name]
    return args[0] if args else None


def _body(body: Any) -> Any:
    """A request's body as a dictionary in snake case."""
    if isinstance(body, (bytes, bytearray)):
        body = bytes(body).decode("utf-8", "replace")
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError as error:
            raise calls.session().refuse("the request is no JSON") from error
    return snaked(body)
