"""Plain HTTP clients: requests that the catalogue's routes know are answered here.

Whether a client was intercepted by its calls or its bytes came to the proxy, a
request is turned into the same questions.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, Callable, Dict, List, Mapping, Optional

from .. import calls
from ..network import outside
from ..network.environment import patch_certifi
from ..network.network import Network, patch_resolver
from ..network.routes import Call, Route
from ..network.waiting import patch_asyncio
from ..spelling import read, snake, snaked
from ..standins import Inert, InertModule
from .family import Project, Rule
from .google import LANGUAGE, VISION, Google, response_name
from .google_speech import SPEECH
from .http import VERBS, Documents, Resource, Response, Session
from .rest_json import Json, decoded_body

_METHOD = re.compile(r"(?:/(v\d\w*))?/(?:documents|images|files|speech):(\w+)")
_SPEECH = {"syncrecognize": "recognize", "longrunningrecognize": "long_running_recognize"}


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of HTTP clients."""
    network = project.network
    rest = Rest(Google(project.entries, project.schema), network, project)
    network.serve(rest.respond)
    patched = [
        Rule(r"urllib\.request", patch=rest.patch_urllib),
        Rule(r"requests\.sessions", patch=rest.patch_requests),
        Rule("httpx", rest.patch_httpx, rest.requests_module),
        Rule("requests", standin=rest.requests_module),
    ]
    if network.closed:
        patched.append(Rule("asyncio", patch=patch_asyncio))
        patched.append(Rule(r"aiohttp\.resolver", patch=patch_resolver))
    if network.authority is not None:
        patched.append(Rule(r"certifi(\.core)?", patch=patch_certifi(network.authority)))
    return patched


class Rest:
    """Answers the requests that the routes know; leaves the others alone."""

    def __init__(
        self,
        google: Google,
        network: Optional[Network] = None,
        project: Optional[Project] = None,
    ) -> None:
        self._google = google
        self._routes = (network or Network()).routes
        self._json = None if project is None else Json(project.schema)

    def answer(
        self, url: Any, body: Any, headers: Any = None, method: Any = "POST"
    ) -> Optional[Response]:
        """The response to a request, or ``None`` where the URL is not an API's."""
        url = str(getattr(url, "full_url", url))
        lowered = {str(name).lower(): str(value) for name, value in dict(headers or {}).items()}
        response = self.respond(Call(str(method), url, lowered, body))
        if response is None:
            outside.note_url(url)
        return response

    def respond(self, call: Call) -> Optional[Response]:
        """The response to a request, or ``None`` where no route knows it.

        Raises ``Refused``; ``ValueError`` where the body cannot be read.
        """
        route = self._routes.find(call)
        if route is None:
            return None
        if getattr(calls.session().supplier, "symbolic", False):
            raise calls.session().refuse("an API was asked by bytes, which hold no unknowns")
        if route.provider.startswith("google"):
            return Response(self._of_google(route, call), call.url)
        if self._json is None:
            return None
        return Response(self._json.answer(route, call), call.url)

    # -------------------------------------------------------------- google

    def _of_google(self, route: Route, call: Call) -> Dict[str, Any]:
        version, action = _METHOD.findall(call.url)[-1]
        body = snaked(decoded_body(call))
        service = route.provider.rpartition(".")[2]
        if service == "vision":
            return self.vision(body)
        if service == "language":
            return self.language(snake(action), body, version or "v1")
        return self.speech(_SPEECH.get(action, snake(action)), body)

    def vision(self, body: Any) -> Dict[str, Any]:
        """The JSON that answers ``images:annotate``."""
        schema = self._google.schema
        answers = [self._google.annotate(item) for item in read(body, "requests") or []]
        name = f"{VISION}.AnnotateImageResponse"
        return {"responses": [schema.rest(name, answer) for answer in answers]}

    def language(self, method: str, body: Any, version: str = "v1") -> Dict[str, Any]:
        """The JSON that answers ``documents:METHOD``."""
        answer = self._google.analyze(method, body)
        name = f"google.cloud.language.{version}.{response_name(method)}"
        if name not in self._google.schema.messages:
            name = f"{LANGUAGE}.{response_name(method)}"
        return dict(self._google.schema.rest(name, answer))

    def speech(self, method: str, body: Any) -> Dict[str, Any]:
        """The JSON that answers ``speech:METHOD``."""
        answer = self._google.answer(SPEECH, method, body)
        found = dict(self._google.schema.rest(f"{SPEECH}.{response_name(method)}", answer))
        if method == "recognize":
            return found
        return {"name": "operations/1", "done": True, "response": found}

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
            verb = url.get_method() if hasattr(url, "get_method") else "POST"
            answer = self.answer(url, body, getattr(url, "headers", None), verb)
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
            answer = self.answer(
                _joined(client, url), _payload(args, kw), kw.get("headers"), method
            )
            return original(client, method, url, *args, **kw) if answer is None else answer

        return request

    def _later(self, original: Callable[..., Any]) -> Callable[..., Any]:
        async def request(client: Any, method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(
                _joined(client, url), _payload(args, kw), kw.get("headers"), method
            )
            if answer is None:
                return await original(client, method, url, *args, **kw)
            return answer

        return request

    def _plain(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def request(method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(url, _payload(args, kw), kw.get("headers"), method)
            return original(method, url, *args, **kw) if answer is None else answer

        return request

    def _verb(self, verb: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def request(url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(url, _payload(args, kw), kw.get("headers"), verb)
            return original(url, *args, **kw) if answer is None else answer

        request.__name__ = verb
        return request

    # ------------------------------------------------------------ stand-ins

    def requests_module(self, name: str) -> InertModule:
        """A stand-in for ``requests``; other URLs give inert responses."""

        def request(method: Any, url: Any, *args: Any, **kw: Any) -> Any:
            answer = self.answer(url, _payload(args, kw), kw.get("headers"), method)
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
