"""The outside world on the loopback: Google's picture labels and Openverse's pictures.

A picture carries the labels that a person, and the service, would give it in
a PNG text chunk, so both services agree without sharing a table.
"""

import base64
import io
import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from PIL import Image
from PIL.PngImagePlugin import PngInfo

KEY = "a-key-of-the-operator"
FIRE = [
    *[["Fire", "Flame", "Heat"]] * 4,
    *[["Flame", "Heat", "Gas"]] * 4,
    *[["Ash", "Wood"]] * 2,
]
ALBUM = {
    "fire": FIRE,
    "cat": [*[["Cat", "Whiskers", "Felidae"]] * 9, ["Felidae", "Carnivore"]],
    "trousers": [["Trousers", "Textile"]] * 10,
}
PER_QUERY = 10


def labels_for(query: str) -> list[list[str]]:
    name = query.casefold()
    return ALBUM.get(name, [[query.capitalize(), "Object"]] * PER_QUERY)


def drawn(query: str, number: int) -> bytes:
    """A picture unlike all others, with its labels in a text chunk."""
    chance = random.Random(f"{query}/{number}")
    tiles = Image.new("RGB", (12, 12))
    tiles.putdata([tuple(chance.randbytes(3)) for _ in range(144)])
    note = PngInfo()
    note.add_text("labels", "|".join(labels_for(query)[number]))
    file = io.BytesIO()
    tiles.resize((96, 96), Image.Resampling.NEAREST).save(file, "PNG", pnginfo=note)
    return file.getvalue()


def seen_on(content: bytes) -> list[str]:
    with Image.open(io.BytesIO(content)) as picture:
        written = picture.info.get("labels", "")
    return written.split("|") if written else []


class Outside:
    """Both services at ``url``; ``asked`` notes every request, ``trouble`` is a status to send."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.keys: set[str | None] = set()
        self.trouble = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def variables(self) -> dict[str, str]:
        """The operator's settings that lead here."""
        return {
            "ASSAYER_ENGINES__GOOGLE_VISION__KIND": "provider",
            "ASSAYER_ENGINES__GOOGLE_VISION__ENDPOINT": self.url,
            "ASSAYER_ENGINES__GOOGLE_VISION__CREDENTIALS": "env:VISION_KEY",
            "ASSAYER_SOURCES__IMAGES__KIND": "openverse",
            "ASSAYER_SOURCES__IMAGES__ENDPOINT": self.url,
            "VISION_KEY": KEY,
        }

    def received(
        self, method: str, address: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, bytes]:
        """The status and body that answer a request; names of headers are in lower case."""
        return self.reply(method, address, body)

    def reply(self, method: str, address: str, body: bytes) -> tuple[int, bytes]:
        parts = urlsplit(address)
        self.asked.append(f"{method} {parts.path}")
        if self.trouble:
            return self.trouble, b'{"error": {"message": "out of order"}}'
        query = parse_qs(parts.query)
        if method == "POST" and parts.path == "/v1/images:annotate":
            self.keys.add(query.get("key", [None])[0])
            return 200, json.dumps(_annotated(json.loads(body))).encode()
        if parts.path == "/v1/images/":
            return 200, json.dumps(self._found(query)).encode()
        if parts.path.startswith("/pictures/"):
            _, _, name, number = parts.path.split("/")
            return 200, drawn(name, int(number))
        return 404, b"{}"

    def _found(self, query: dict) -> dict:
        name, size = query["q"][0], int(query["page_size"][0])
        later = int(query.get("page", ["1"])[0]) > 1
        count = 0 if later else min(size, len(labels_for(name)))
        return {
            "result_count": count,
            "results": [
                {
                    "id": f"{name}-{number}",
                    "title": f"{name} {number}",
                    "url": f"{self.url}/pictures/{name}/{number}",
                    "foreign_landing_url": f"https://example.org/{name}/{number}",
                    "creator": "P. Photographer",
                    "license": "by",
                    "license_version": "4.0",
                    "tags": [{"name": name}],
                }
                for number in range(count)
            ],
        }


def _annotated(body: dict) -> dict:
    responses = []
    for request in body["requests"]:
        names = seen_on(base64.b64decode(request["image"]["content"]))
        responses.append(
            {
                "labelAnnotations": [
                    {"mid": f"/m/{place}", "description": name, "score": 0.95 - place / 20}
                    for place, name in enumerate(names)
                ]
            }
            if names
            else {}
        )
    return {"responses": responses}


def _handler(owner: Outside) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, content = owner.received(self.command, self.path, headers, body)
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Quiet."""

    return Handler
