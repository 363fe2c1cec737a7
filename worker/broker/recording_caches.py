"""Whose recordings a run reads, and where its own go.

Nothing of one repository reaches another: not that something was asked (a recorded answer comes
at once and costs nothing), nor an answer that an engine gave while it was overloaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from analyzers.vocabulary import JsonObject
from worker.engines.recordings import RecordingLimits, Recordings
from worker.system.recording_folders import recording_folder_name

COMMON_FOLDER = "common"


@dataclass(frozen=True, slots=True)
class RunRequester:
    """On whose behalf a run asks: the repository is ``owner``.

    Code that is not ``approved`` (from a fork) reads recordings, adds none, and asks no provider.
    What a ``private`` repository asks stays with it.
    """

    owner: str
    approved: bool = True
    private: bool = True


class RecordingCaches:
    """The repository's own recordings, and common ones of our sources' inputs (``supplied``)."""

    def __init__(self, own: Recordings, common: Recordings | None = None) -> None:
        self._own = own
        self._common = common or Recordings()
        self._supplied: set[str] = set()

    @classmethod
    def open(cls, folder: Path, standing: RunRequester, limits: RecordingLimits) -> RecordingCaches:
        """The recordings in ``folder`` for a run of that standing."""

        def shelf(name: str, *, writable: bool) -> Recordings:
            return Recordings(folder / name, writable=writable, limits=limits, root=folder)

        own = shelf(recording_folder_name(standing.owner), writable=standing.approved)
        shares = standing.approved and not standing.private
        return cls(own, shelf(COMMON_FOLDER, writable=shares))

    def supplied(self, digests: Iterable[str]) -> None:
        """Know inputs of our own by the SHA-256 of their content."""
        self._supplied.update(digests)

    def find(self, identity: str, api: str, digest: str) -> JsonObject | None:
        """A recorded answer, the repository's own first."""
        own = self._own.find(identity, api, digest)
        return self._common.find(identity, api, digest) if own is None else own

    def keep(
        self, key: tuple[str, str, str], content: str, answer: JsonObject, *, durable: bool
    ) -> None:
        """Record an engine's answer to a question about the content of that SHA-256."""
        self._own.keep(*key, answer, durable=durable)
        if content in self._supplied:
            self._common.keep(*key, answer, durable=durable)

    def turn(self, digest: str) -> AbstractContextManager[None]:
        """Let one process at a time ask a question of this repository."""
        return self._own.turn(digest)
