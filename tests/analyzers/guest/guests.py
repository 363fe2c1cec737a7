"""A real guest process at the other end of a socket pair, without the sandbox."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from analyzers import catalogue
from analyzers.guest.protocol.child_channel import Wire
from tests.analyzers.guest.zygotes import Waitable, Zygote, link_guest
from worker.sandbox.protocol.channel import decoded

PROJECTS = Path(__file__).parent / "projects"
PROGRAM = (
    "import sys; sys.path.insert(0, {folder!r}); "
    "from _assayer_guest.main import main; main({descriptor})"
)
SCHEMAS = {
    file.stem: json.loads(file.read_text())
    for file in Path(catalogue.__file__).parent.glob("schemas/*.json")
}
LABELS = "google.vision.label_detection"
TEXT = "google.vision.text_detection"
SENTIMENT = "google.language.analyze_sentiment"


def inert() -> dict[str, Any]:
    return {"kind": "inert"}


def literal(value: object) -> dict[str, Any]:
    return {"kind": "literal", "source": repr(value)}


def content(form: str, blob: str = "b1", suffix: str = ".png") -> dict[str, Any]:
    return {"kind": "content", "form": form, "blob": blob, "suffix": suffix}


def labels(*pairs: tuple[str, float]) -> dict[str, Any]:
    found = [{"description": name, "score": score} for name, score in pairs]
    return {"label_annotations": found}


def sentiment(score: float, magnitude: float = 1.0) -> dict[str, Any]:
    return {"document_sentiment": {"score": score, "magnitude": magnitude}}


def probe(script: Any = (), **arguments: Any) -> dict[str, Any]:
    entries = script if script is None else [{"api": a, "answer": b} for a, b in script]
    return {"arguments": arguments, "script": entries}


class GuestAtHand:
    """Starts the process on a folder; speaks the protocol as the host does.

    With a ``zygote`` it is a child of that, which has imported already.
    """

    def __init__(
        self,
        folder: Path,
        root: Path,
        python: str = sys.executable,
        zygote: Zygote | None = None,
    ) -> None:
        link_guest(folder)
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._wire = Wire(ours.fileno())
        descriptor = theirs.fileno()
        self.errors = folder / "errors.txt"
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder)}
        with self.errors.open("ab") as errors:
            if zygote is not None:
                self.process: Waitable = zygote.forked(folder, environment, descriptor, errors)
            else:
                program = PROGRAM.format(folder=str(folder), descriptor=descriptor)
                self.process = subprocess.Popen(
                    [python, "-I", "-c", program],
                    pass_fds=[descriptor],
                    stdin=subprocess.DEVNULL,
                    stderr=errors,
                    env=environment,
                )
        theirs.close()
        self.root = root
        self.asked: list[dict[str, Any]] = []
        self.answer: dict[str, Any] | None = None
        self.points: list[str] = []
        self.standins: list[str] = []
        self.used: list[str] = []

    def prepare(self, path: str, function: str, *files: str, **more: Any) -> dict[str, Any]:
        self._wire.send(
            {
                "type": "prepare",
                "root": str(self.root),
                "path": path,
                "function": function,
                "files": [path, *files],
                "catalogue": catalogue.load_catalogue().as_json(catalogue.load_catalogue().apis),
                "schemas": SCHEMAS,
                **more,
            }
        )
        reply = self._received()
        self.points = reply.get("points", [])
        self.standins = reply.get("standins", [])
        return reply

    def run(
        self, *probes: dict[str, Any], blobs: Any = None, seconds: float = 5.0
    ) -> list[dict[str, Any]]:
        """The results, in order; the last may be ``{"died": signal}``."""
        self._wire.send({"type": "run", "blobs": blobs or {}, "probes": probes, "seconds": seconds})
        results: list[dict[str, Any]] = []
        while True:
            frame = self._received()
            if frame["type"] == "ask":
                self.asked.append(frame)
                self._wire.send(self._reply())
            elif frame["type"] == "done":
                self.used = frame["used"]
                if frame["ended"]:
                    assert frame["ended"]["index"] == len(results)
                    results.append({"died": frame["ended"]["signal"]})
                return results
            else:
                results += frame["results"]
                assert [r["index"] for r in results] == list(range(len(results)))

    def ending(self, /, script: Any = (), **arguments: Any) -> dict[str, Any]:
        return self.run(probe(script, **arguments))[0]["ending"]

    def hits(self, result: dict[str, Any]) -> set[str]:
        return {self.points[hit] for hit in result["hits"]}

    def search(self, **message: Any) -> dict[str, Any]:
        self._wire.send({"type": "search", **message})
        return self._received()

    def said(self, message: dict[str, Any]) -> dict[str, Any]:
        """What comes back to a frame."""
        self._wire.send(message)
        return self._received()

    def _reply(self) -> dict[str, Any]:
        if self.answer is None:
            return {"type": "refused", "reason": "no engine"}
        return {"type": "answer", "answer": self.answer}

    def _received(self) -> dict[str, Any]:
        self._socket.settimeout(None)
        header = self._exactly(4)
        assert header, self.errors.read_text(errors="replace")
        return decoded(self._exactly(int.from_bytes(header, "big")))

    def _exactly(self, size: int) -> bytes:
        received = self._socket.recv(size, socket.MSG_WAITALL)
        while received and len(received) < size:
            more = self._socket.recv(size - len(received), socket.MSG_WAITALL)
            assert more, self.errors.read_text(errors="replace")
            received += more
        return received

    def close(self) -> None:
        self._socket.close()
        self.process.wait(120)
