"""What the engines share that say who asks by one header."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from worker.engines.http import Http


class Keyed:
    """A provider whose questions carry a key; it is read when the first is asked."""

    provider: str
    credentials: Callable[[], str] | None
    http: Http

    def answers(self, api: str) -> bool:
        """Every API of the provider."""
        return api.rpartition(".")[0] == self.provider

    def authorisation(self, key: str) -> dict[str, str]:
        """The header that says who asks."""
        return {"authorization": f"Bearer {key}"}

    @cached_property
    def _key(self) -> dict[str, str]:
        if self.credentials is None:
            return {}
        key = self.credentials()
        self.http.secrets.add(key)
        return self.authorisation(key)
