"""Questions and answers of AWS's clients; JSON, botocore and canonical names are the same."""

from __future__ import annotations

import copy
import datetime
import io
import itertools
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ..protocol import api_calls
from ..runtime import assumptions
from ..runtime.standins import Inert, InertModule
from .bedrock_models import words_of
from .conversations import conversation, hoisted, whole
from .described_apis import (
    DELIVERY,
    DescribedApis,
    Entry,
    asked_each,
    aws_code,
    decoded,
    plain,
    taken_delivery,
)
from .event_streams import Events, converse_events, message_events
from .schema_fitting import on_the_wire, with_lists
from .schema_messages import snake


class Aws:
    """Answers the operations that the catalogue describes."""

    def __init__(self, described: DescribedApis) -> None:
        self._described = described

    def entry(self, service: str, operation: str) -> Optional[Entry]:
        """The description of ``DetectLabels`` of ``rekognition``, in either spelling."""
        return self._described.named(f"aws.{service}.{snake(operation).lower()}")

    def answer(
        self,
        entry: Entry,
        params: Mapping[str, Any],
        *,
        in_base64: bool = False,
        stream: bool = False,
    ) -> Dict[str, Any]:
        """Return the response to an operation's parameters (contents perhaps ``in_base64``)."""
        asked = semantic(entry, params, in_base64=in_base64)
        if stream:
            asked = [replace(each, stream={"cut": True}) for each in asked]
        answers = [self._described.ask(entry, request) for request in asked]
        if entry.get("task") == "chat" and "Error" not in answers[0]:
            answers = [whole(entry, answer, params) for answer in answers]
        if not asked_each(entry):
            return with_lists(self._described.schema, str(entry["schema"]), answers[0])
        result = str(entry["result"]).partition("[]")[0]
        elements = [{"Index": n, **answer} for n, answer in enumerate(answers)]
        return with_lists(self._described.schema, str(entry["schema"]), {result: elements})

    def called(
        self, service: str, operation: str, params: Mapping[str, Any]
    ) -> Optional[Dict[str, Any]]:
        """Return the response to an operation of a service, ``None`` where it is not described.

        A conversation may come as a stream; a model may be invoked in its own words.
        """
        name = snake(operation).lower()
        if service != "bedrock-runtime" or name == "converse":
            entry = self.entry(service, operation)
            return None if entry is None else self.answer(entry, params)
        if name == "converse_stream":
            entry = self.entry(service, "converse")
            answer = {} if entry is None else self.answer(entry, params, stream=True)
            if entry is None or "Error" in answer:
                return answer or None
            events = list(converse_events(answer))
            if (answer.get(DELIVERY) or {}).get("broken"):
                return {"stream": BrokenEvents(events[: len(events) // 2])}
            return {"stream": Events(events)}
        if name in ("invoke_model", "invoke_model_with_response_stream"):
            return self._invoked(params, stream=name.endswith("stream"))
        return None

    def _invoked(self, params: Mapping[str, Any], *, stream: bool) -> Optional[Dict[str, Any]]:
        """Return the response of an invoked model, in its own words.

        ``None`` for a model whose words are not known, and a body that is no JSON.
        """
        try:
            body = json.loads(params.get("body") or "{}")
        except (TypeError, ValueError):
            return None
        model = str(params.get("modelId"))
        is_claude = "anthropic." in model and "messages" in body
        entry = self._described.named("anthropic.messages") if is_claude else None
        words = None if is_claude else words_of(model, body)
        if words is not None:
            entry = self._described.named("aws.bedrock-runtime.converse")
        if entry is None:
            return None
        head = "messages" if words is None else words.head
        options = plain({"model": model, **body})
        question = conversation(str(entry["name"]), head, options.pop(head, None), hoisted(options))
        question = replace(question, stream={"cut": True} if stream and is_claude else {})
        wire = whole(entry, self._described.ask(entry, question), options)
        brought = taken_delivery(wire)
        if words is not None:
            wire = words.answer(_text_of(wire), wire)
        else:
            wire = on_the_wire(self._described.schema, str(entry["schema"]), wire, str)
        if not stream:
            return {"body": _streamed(json.dumps(wire).encode()), "contentType": _JSON}
        parts = message_events({**wire, DELIVERY: brought}) if words is None else [wire]
        chunks = ({"chunk": {"bytes": json.dumps(each).encode()}} for each in parts)
        return {"body": Events(chunks), "contentType": _JSON}


_JSON = "application/json"


def refusal(status: int, declared: Sequence[str] = ()) -> Dict[str, Any]:
    """Return the response of an operation that the service refuses by a status."""
    said = f"The request failed with status {status}."
    around = {**metadata(), "HTTPStatusCode": status}
    return {
        "Error": {"Code": aws_code(status, declared), "Message": said},
        "ResponseMetadata": around,
    }


class BrokenEvents(Events):
    """The events of an answer up to an error, which is raised as botocore does."""

    def __iter__(self) -> Iterator[Any]:
        yield from super().__iter__()
        kind = getattr(sys.modules.get("botocore.exceptions"), "EventStreamError", ClientError)
        raise kind(refusal(500), "ConverseStream")


def _text_of(answer: Mapping[str, Any]) -> str:
    message = (answer.get("output") or {}).get("message") or {}
    return "".join(str(block.get("text") or "") for block in message.get("content") or ())


def _streamed(content: bytes) -> Any:
    """The body of a response, as botocore gives it where it is there."""
    file = io.BytesIO(content)
    botocore = sys.modules.get("botocore.response")
    return file if botocore is None else botocore.StreamingBody(file, len(content))


def semantic(
    entry: Entry, params: Mapping[str, Any], *, in_base64: bool = False
) -> List[api_calls.ApiRequest]:
    """The questions that a call asks: one, or one for each element of its input."""
    described = entry.get("input") or {}
    head, _, inner = str(described.get("field", "")).partition(".")
    options = plain({key: value for key, value in params.items() if key != head})
    given = params.get(head)
    if entry.get("task") == "chat":
        return [conversation(str(entry["name"]), head, given, hoisted(options))]
    items = list(given or ()) if asked_each(entry) else [given]
    kind = str(described.get("kind"))
    requests: List[api_calls.ApiRequest] = []
    for item in items:
        content, text, uri = _source(item, inner, kind, in_base64)
        requests.append(api_calls.ApiRequest(str(entry["name"]), content, text, uri, options))
    return requests


def _source(item: Any, inner: str, kind: str, in_base64: bool) -> Tuple[Any, Any, Any]:
    """The content, text and URI of ``{"Bytes": …}``, ``{"S3Object": …}``, a text or an id."""
    value: Any = item.get(inner) if inner and isinstance(item, Mapping) else item
    if kind == "text":
        return None, value, None
    if value is None:
        where = item.get("S3Object") if isinstance(item, Mapping) else None
        return None, None, _bucket(where)
    if hasattr(value, "read"):
        value = value.read()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), None, None
    if inner == "Bytes" and isinstance(value, str):
        return (decoded(value) if in_base64 else value.encode()), None, None
    return None, None, value


def _bucket(where: Any) -> Optional[str]:
    if not isinstance(where, Mapping):
        return None
    version = f"?versionId={where['Version']}" if where.get("Version") else ""
    return f"s3://{where.get('Bucket')}/{where.get('Name')}{version}"


def metadata() -> Dict[str, Any]:
    """Return what botocore says about the transport of a response."""
    return {
        "RequestId": "00000000-0000-0000-0000-000000000000",
        "HTTPStatusCode": 200,
        "HTTPHeaders": {
            "x-amzn-requestid": "00000000-0000-0000-0000-000000000000",
            "content-type": "application/x-amz-json-1.1",
            "content-length": "2048",
            "date": "Mon, 02 Mar 2026 09:30:00 GMT",
        },
        "RetryAttempts": 0,
    }


REGION = "us-east-1"
MOST_REGIONS = 2
_NOBODY = "assayer"
_REGION = re.compile(r"\b[a-z]{2}-[a-z]{4,9}-\d\b")
_PLAIN = {"use_ssl": True}


class Botocore:
    """Patches botocore's modules as they are imported: boto3 is built on them."""

    def __init__(self, aws: Aws, texts: Mapping[str, str]) -> None:
        self._aws = aws
        self._texts = texts

    def client(self, module: ModuleType) -> None:
        """Patch ``botocore.client``: every operation of every client."""
        base: Any = vars(module)["BaseClient"]

        def make_api_call(client: Any, operation: str, params: Mapping[str, Any]) -> Any:
            return self._call(client, operation, params)

        base._make_api_call = make_api_call

    def session(self, module: ModuleType) -> None:
        """Patch ``botocore.session``: a region and credentials are always there."""
        session: Any = vars(module)["Session"]
        session.get_credentials = _credentials
        session.create_client = _with_region(session.create_client)
        session.get_scoped_config = _lenient(session.get_scoped_config)

    def loaders(self, module: ModuleType) -> None:
        """Patch ``botocore.loaders``: each of the large files is read once."""
        loader: Any = vars(module)["JSONFileLoader"]
        loader.load_file = _once(loader.load_file)

    def warm(self, expected: Sequence[Entry]) -> None:
        """Make clients of the services that are expected to be asked."""
        if "botocore.session" not in sys.modules:
            return
        from botocore.session import get_session

        names = [str(entry["name"]) for entry in expected]
        services = {name.split(".")[1] for name in names if name.startswith("aws.")}
        named = (name for text in self._texts.values() for name in _REGION.findall(text))
        regions = list(dict.fromkeys([*named, None]))[:MOST_REGIONS]
        for service, region in itertools.product(sorted(services), regions):
            get_session().create_client(service, region)

    def _call(self, client: Any, operation: str, params: Mapping[str, Any]) -> Dict[str, Any]:
        model = client.meta.service_model
        entry = self._aws.entry(model.service_name, operation)
        faithful = api_calls.session().faithful
        params = in_words(params) if assumptions.is_assuming() else params
        shapes = model.operation_model(operation)
        if faithful and shapes.input_shape is not None:
            from botocore.exceptions import ParamValidationError
            from botocore.validate import ParamValidator

            report = ParamValidator().validate(dict(params), shapes.input_shape)
            known: Any = vars(report)["_errors"]
            known[:] = [error for error in known if error[0] != "invalid length"]
            if report.has_errors():
                raise ParamValidationError(report=report.generate_report())
        try:
            answer = self._aws.called(model.service_name, operation, params)
        except api_calls.ServiceFailure as failed:
            if failed.status is None:
                from botocore.exceptions import ReadTimeoutError

                raise ReadTimeoutError(endpoint_url=client.meta.endpoint_url) from None
            answer = refusal(failed.status, [shape.name for shape in shapes.error_shapes])
        if answer is None:
            return assumed(unreachable(model.service_name, operation), operation)
        if "Error" in answer:
            raise client.exceptions.from_code(answer["Error"].get("Code"))(answer, operation)
        if faithful and entry is not None:
            answer = _timed(answer, shapes.output_shape)
        return {**answer, "ResponseMetadata": metadata()}


def in_words(value: Any) -> Any:
    """Return a request's parameters with words for stand-ins, such as a name that is made up."""
    if isinstance(value, dict):
        return {name: in_words(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [in_words(inner) for inner in value]
    return "made-up" if type(value) is Inert else value


def unreachable(service: str, operation: str) -> Exception:
    """Return what a client raises for an operation that no described API is."""
    from botocore import exceptions, xform_name

    name = f"{service}.{xform_name(operation)}"
    error = exceptions.EndpointConnectionError(endpoint_url=f"{name} (no described ML API)")
    return api_calls.unanswered(name, error)


def assumed(error: Exception, operation: str) -> Dict[str, Any]:
    """Return what an operation of another service is assumed to give; else raise the error."""
    if not assumptions.is_assuming():
        raise error
    given: Any = Inert(f"{operation}()")
    return given  # type: ignore[no-any-return]


def _timed(value: Any, shape: Any) -> Any:
    """An answer whose times are ``datetime`` objects, as botocore parses them."""
    if shape is None or value is None:
        return value
    if shape.type_name == "structure":
        return {key: _timed(item, shape.members.get(key)) for key, item in value.items()}
    if shape.type_name == "list":
        return [_timed(item, shape.member) for item in value]
    if shape.type_name == "timestamp" and not isinstance(value, datetime.datetime):
        from botocore.utils import parse_timestamp

        return parse_timestamp(value)
    return value


# ------------------------------------------------------------------- sessions


def _credentials(session: Any) -> Any:
    from botocore.credentials import Credentials

    known = getattr(session, "_credentials", None)
    return Credentials(_NOBODY, _NOBODY) if known is None else known


def _with_region(original: Callable[..., Any]) -> Callable[..., Any]:
    """Make clients in some region, each once: making one reads large files."""
    made: Dict[Any, Any] = {}

    def create_client(
        session: Any, service_name: str, region_name: Any = None, *args: Any, **options: Any
    ) -> Any:
        configured = getattr(options.get("config"), "region_name", None)
        if region_name is None and configured is None:
            region_name = session.get_config_variable("region") or REGION
        if args or options.get("config") is not None:
            return original(session, service_name, region_name, *args, **options)
        odd = {k: v for k, v in options.items() if v is not None and _PLAIN.get(k) is not v}
        key = service_name, region_name, str(sorted(odd.items(), key=str))
        if key not in made:
            made[key] = original(session, service_name, region_name, **options)
        return made[key]

    return create_client


def _once(original: Callable[..., Any]) -> Callable[..., Any]:
    read: Dict[str, Any] = {}

    def load_file(loader: Any, path: str) -> Any:
        if path not in read:
            read[path] = original(loader, path)
        return copy.copy(read[path])

    return load_file


def _lenient(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let a profile that is not configured here have no settings."""

    def get_scoped_config(session: Any) -> Any:
        from botocore.exceptions import ProfileNotFound

        try:
            return original(session)
        except ProfileNotFound:
            return {}

    return get_scoped_config


class BotoCoreError(Exception):
    """The base of what botocore raises by itself."""


class EndpointConnectionError(BotoCoreError):
    """A service that cannot be reached."""


class ReadTimeoutError(BotoCoreError):
    """A service that does not answer in time."""


class ClientError(Exception):
    """An error that a service answered with."""

    def __init__(self, error_response: Any, operation_name: str = "Unknown") -> None:
        error = error_response.get("Error", {})
        super().__init__(
            f"An error occurred ({error.get('Code', 'Unknown')}) when calling the "
            f"{operation_name} operation: {error.get('Message', 'Unknown')}"
        )
        self.response = error_response
        self.operation_name = operation_name


_KNOWN: Dict[str, type] = {
    kind.__name__: kind
    for kind in (BotoCoreError, EndpointConnectionError, ReadTimeoutError, ClientError)
}
for _kind in _KNOWN.values():
    _kind.__module__ = "botocore.exceptions"


def standin_unreachable(service: str, operation: str) -> Exception:
    """Return what a client raises for an operation that no described API is."""
    name = f"{service}.{operation}"
    error = EndpointConnectionError(f"Could not connect to {name} (no described ML API)")
    return api_calls.unanswered(name, error)


class AwsStandins:
    """Makes the modules."""

    def __init__(self, aws: Aws) -> None:
        self._aws = aws

    def boto3(self, name: str) -> InertModule:
        """A stand-in for ``boto3`` or ``boto3.session``."""
        module = InertModule(name)
        aws = self._aws

        class Session(_Session):
            def client(self, service_name: str, region_name: Any = None, *_: Any, **__: Any) -> Any:
                return _Client(aws, service_name, region_name or self.region_name)

            def resource(self, service_name: str, *_: Any, **__: Any) -> Any:
                return _Resource(service_name, service_name)

        default = Session()
        vars(module).update(
            Session=Session, client=default.client, resource=default.resource,
            setup_default_session=Session,
        )  # fmt: skip
        return module

    def exceptions(self, name: str) -> ModuleType:
        """A stand-in for ``botocore.exceptions``."""
        return _Exceptions(name)


class _Exceptions(InertModule):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattr__(name)
        if name not in _KNOWN:
            _KNOWN[name] = type(name, (BotoCoreError,), {"__module__": "botocore.exceptions"})
        return _KNOWN[name]


class _Session:
    profile_name = "default"

    def __init__(self, *_: Any, region_name: Any = None, **__: Any) -> None:
        self.region_name = region_name or REGION

    def get_credentials(self) -> Any:
        return Inert("credentials")


class _Client:
    def __init__(self, aws: Aws, service: str, region: str) -> None:
        self._aws = aws
        self._service = service
        self.exceptions = _Errors()
        self.meta = Inert(f"{service}.meta")
        self.meta.__dict__["region_name"] = region

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def operation(**params: Any) -> Dict[str, Any]:
            return self._call(name, params)

        operation.__name__ = name
        return operation

    def _call(self, operation: str, params: Mapping[str, Any]) -> Dict[str, Any]:
        try:
            answer = self._aws.called(self._service, operation, params)
        except api_calls.ServiceFailure as failed:
            if failed.status is None:
                raise _KNOWN["ReadTimeoutError"]("Read timeout") from None
            answer = refusal(failed.status)
        if answer is None:
            return assumed(standin_unreachable(self._service, operation), operation)
        if "Error" in answer:
            kind = getattr(self.exceptions, str(answer["Error"].get("Code")))
            camel = "".join(part.capitalize() for part in operation.split("_"))
            raise kind(answer, camel)
        return {**answer, "ResponseMetadata": metadata()}

    def get_paginator(self, operation: str) -> Any:
        return _Paginator(getattr(self, operation))

    def can_paginate(self, operation: str) -> bool:
        return operation.startswith(("list_", "get_"))

    def get_waiter(self, name: str) -> Any:
        return _Resource(self._service, f"waiter.{name}")

    def close(self) -> None:
        """Nothing: there is no connection."""


class _Paginator:
    def __init__(self, operation: Callable[..., Any]) -> None:
        self._operation = operation

    def paginate(self, **params: Any) -> Iterator[Any]:
        params.pop("PaginationConfig", None)
        yield self._operation(**params)


class _Errors:
    """``client.exceptions``: every error is a ``ClientError``."""

    ClientError = ClientError

    def __init__(self) -> None:
        self._made: Dict[str, type] = {}

    def __getattr__(self, name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._made:
            body = {"__module__": "botocore.errorfactory"}
            self._made[name] = type(name, (ClientError,), body)
        return self._made[name]


class _Resource:
    def __init__(self, service: str, path: str) -> None:
        self._service = service
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Resource(self._service, name)

    def __call__(self, *_: Any, **__: Any) -> Any:
        if self._path[:1].isupper():
            return _Resource(self._service, self._path)
        raise standin_unreachable(self._service, self._path)

    def __iter__(self) -> Iterator[Any]:
        raise standin_unreachable(self._service, self._path)
