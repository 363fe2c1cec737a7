"""What the double answers with, and how it refuses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True)
class Answer:
    """An answer; ``body`` is JSON, or text where ``kind`` says so."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json; charset=utf-8"


class RefusalError(Exception):
    """A request that GitHub refuses."""

    def __init__(
        self, status: int, message: str, errors: list[Any] | None = None, **headers: str
    ) -> None:
        super().__init__(f"{status} {message} {errors or ''}")
        self.status = status
        self.body: dict[str, Any] = {"message": message}
        if errors is not None:
            self.body["errors"] = errors
        self.body |= {"documentation_url": DOCS, "status": str(status)}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def not_found() -> RefusalError:
    return RefusalError(404, "Not Found")


def forbidden() -> RefusalError:
    return RefusalError(403, "Resource not accessible by integration")


def invalid(resource: str, code: str, field: str, message: str | None = None) -> RefusalError:
    error = {"resource": resource, "code": code, "field": field}
    if message:
        error["message"] = message
    return RefusalError(422, "Validation Failed", [error])


def unprocessable(*errors: str) -> RefusalError:
    return RefusalError(422, "Unprocessable Entity", list(errors))
