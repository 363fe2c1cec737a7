"""A stand-in for boto3 and botocore, where they are not installed."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Callable, Dict, Iterator, Mapping

from ..protocol import api_calls
from ..runtime.standins import Inert, InertModule
from .aws import REGION, Aws, metadata

class BotoCoreError(Exception):
    """The base of what botocore raises by itself."""


class EndpointConnectionError(BotoCoreError):
    """A service that cannot be reached."""


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
    kind.__name__: kind for kind in (BotoCoreError, EndpointConnectionError, ClientError)
}
for _kind in _KNOWN.values():
    _kind.__module__ = "botocore.exceptions"


def _exception(name: str) -> type:
    if name not in _KNOWN:
        body = {"__module__": "botocore.exceptions"}
        _KNOWN[name] = type(name, (BotoCoreError,), body)
    return _KNOWN[name]


def unreachable(service: str, operation: str) -> Exception:
    """What a client raises for an operation that no described API is."""
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
        return super().__getattr__(name) if name.startswith("__") else _exception(name)


class _Session:
    """A session: any profile and credentials will do."""

    profile_name = "default"

    def __init__(self, *_: Any, region_name: Any = None, **__: Any) -> None:
        self.region_name = region_name or REGION

    def get_credentials(self) -> Any:
        return Inert("credentials")


class _Client:
    """A client of one service, with every operation that it is asked for."""

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
        entry = self._aws.entry(self._service, operation)
        if entry is None:
            raise unreachable(self._service, operation)
        answer = self._aws.answer(entry, params)
        if "Error" in answer:
            kind = getattr(self.exceptions, str(answer["Error"].get("Code")))
            camel = "".join(part.capitalize() for part in operation.split("_"))
            raise kind(answer, camel)
        return {**answer, "ResponseMetadata": metadata()}

    def get_paginator(self, operation: str) -> Any:
        """A paginator whose only page is the answer."""
        return _Paginator(getattr(self, operation))

    def can_paginate(self, operation: str) -> bool:
        """Whether an operation comes in pages."""
        return operation.startswith(("list_", "get_"))

    def get_waiter(self, name: str) -> Any:
        """A waiter that cannot wait."""
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
    """A resource of a service and its parts; whatever asks the service is refused."""

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
        raise unreachable(self._service, self._path)

    def __iter__(self) -> Iterator[Any]:
        raise unreachable(self._service, self._path)
