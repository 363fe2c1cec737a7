"""Requests of Anthropic's clients, and the answers they get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Optional

from .client_rules import ClientProject, ClientRule
from .described_apis import DELIVERY, DescribedApis, Entry, failure
from .event_streams import broken_off, message_events, server_sent
from .openai import OpenAISdk
from .other_providers import OtherProviders

_PATH = "/messages"


class Anthropic:
    """Answers the requests that the catalogue describes."""

    def __init__(self, described: DescribedApis) -> None:
        self.described = described
        self._other = OtherProviders(described)

    def path(self, url: str) -> Optional[Entry]:
        """The description of what answers below the path of a URL."""
        is_known = url.partition("?")[0].endswith(_PATH)
        return self.described.named("anthropic.messages") if is_known else None

    def answer(self, entry: Entry, body: Mapping[str, Any]) -> Dict[str, Any]:
        """Return the canonical response to a request's body."""
        return dict(self._other.called(entry, (), body))

    def wire(self, entry: Entry, answer: Mapping[str, Any]) -> Any:
        """The JSON that says so."""
        return self._other.wire(entry, answer)

    def events(self, entry: Entry, wire: Mapping[str, Any]) -> Optional[bytes]:
        """The events of a stream that say so."""
        del entry
        if (wire.get(DELIVERY) or {}).get("broken"):
            return server_sent(broken_off(message_events(wire), failure(500)), named=True)
        return server_sent(message_events(wire), named=True)


def anthropic_rules(project: ClientProject) -> List[ClientRule]:
    """Return the rules for ``anthropic``; where it is not there, it is as any described library."""
    sdk = OpenAISdk(Anthropic(DescribedApis(project.entries, project.schema)), "anthropic")
    return [
        ClientRule(r"anthropic\._base_client", patch=sdk.base_client),
        ClientRule(r"anthropic\.(_client|lib\.(bedrock|vertex)\._client)", patch=sdk.clients),
    ]
