"""A git server on loopback: git's own http-backend, and what a hostile one says instead."""

import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LONGEST = 600


class GitServer(ThreadingHTTPServer):
    """Serves the repositories in a folder; ``misbehave`` answers instead where set."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.misbehave = None
        self.headers_seen: list[dict] = []
        self.commands_seen: list[bytes] = []
        self.password: str | None = None
        self.stopping = threading.Event()
        threading.Thread(target=self.serve_forever, args=[0.05], daemon=True).start()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def close(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address) -> None:
        """A client that was killed is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: GitServer

    def do_GET(self) -> None:
        self.server.headers_seen.append(dict(self.headers))
        self.server.commands_seen.extend(git_commands())
        if self.server.misbehave is not None:
            self.server.misbehave(self)
        elif self.server.password not in (None, self.headers.get("Authorization")):
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Basic realm=git")
            self.end_headers()
        else:
            self._backend()

    do_POST = do_GET  # noqa: N815 - what http.server asks for

    def _backend(self) -> None:
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else self._chunks()
        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            env={
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(self.server.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "GIT_CONFIG_COUNT": "2",
                "GIT_CONFIG_KEY_0": "uploadpack.allowFilter",
                "GIT_CONFIG_VALUE_0": "true",
                "GIT_CONFIG_KEY_1": "safe.directory",
                "GIT_CONFIG_VALUE_1": "*",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "REMOTE_ADDR": "127.0.0.1",
            },
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _chunks(self) -> bytes:
        body = b""
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        return body

    def log_message(self, *_) -> None:
        """Say nothing."""


def git_commands() -> list[bytes]:
    """The command lines of every git process of this machine."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"git" in line:
            lines.append(line)
    return lines
