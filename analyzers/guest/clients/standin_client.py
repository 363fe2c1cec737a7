"""A client without an SDK behind it."""

from __future__ import annotations

from typing import Any, Mapping

from .. import calls
from ..messages import Schema
from ..standins import Entered, Inert
from .google import Google
from .google_errors import answered


class Client(Entered):
    """What all stand-ins for clients share."""

    google: Google
    schema: Schema
    package: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    @classmethod
    def from_service_account_json(cls, *args: Any, **kwargs: Any) -> Any:
        """A client; the account's file is not looked at."""
        del args, kwargs
        return cls()

    from_service_account_file = from_service_account_info = from_service_account_json

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert(f"{type(self).__name__}.{name}")

    def answer(self, method: str, request: Any) -> Mapping[str, Any]:
        """The answer of a method of the service; raises what the SDK would."""
        return answered(lambda: self.google.answer(self.package, method, request))

    def message(self, name: str, answer: Any) -> Any:
        """The response object for an answer."""
        full = f"{self.package}.{name}"
        if calls.session().faithful:
            answer = self.schema.rounded(full, answer)
        return self.schema.message(full).of(answer)
