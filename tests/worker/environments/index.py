"""A package index on the loopback interface, with wheels and sdists made on the spot."""

import hashlib
import io
import json
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SETUP = "import pathlib\npathlib.Path({canary!r}).write_text('ran')\n"


def archived(files):
    """A ``.tar.gz`` with these files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz", compresslevel=1) as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return content.getvalue()


class IndexServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class PackageIndex:
    """Serves what was added.

    ``asked`` lists the paths that were requested, ``logins`` who said they
    were; ``html`` makes pages as of old.
    """

    def __init__(self):
        self._number = 0
        self.renew()
        self._server = IndexServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def renew(self):
        """Forget everything, and serve at another address."""
        self._number += 1
        self.asked = []
        self.logins = []
        self.html = False
        self._files = {}
        self._projects = {}

    @property
    def files(self):
        """What was added, by name."""
        return dict(self._files)

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/{self._number}/simple"

    def wheel(self, name, version, requires=(), files=None, size=None):
        """Add a wheel with a module that knows its version; return its hash."""
        module = name.replace("-", "_")
        info = f"{module}-{version}.dist-info"
        needs = "".join(f"Requires-Dist: {need}\n" for need in requires)
        texts = {
            **(files or {f"{module}.py": f"VERSION = {version!r}\n"}),
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\n"
            "Root-Is-Purelib: true\nTag: py3-none-any\n",
        }
        texts[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*texts, f"{info}/RECORD"])
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for path, text in texts.items():
                archive.writestr(path, text)
        file = f"{module}-{version}-py3-none-any.whl"
        self._files[f"{file}.metadata"] = texts[f"{info}/METADATA"].encode()
        return self.add(name, file, content.getvalue(), size)

    def sdist(self, name, version, canary):
        """Add a source distribution whose ``setup.py`` leaves a trace when it is run."""
        info = f"Metadata-Version: 1.0\nName: {name}\nVersion: {version}\n"
        files = {"PKG-INFO": info, "setup.py": SETUP.format(canary=str(canary))}
        return self.source(name, version, files)

    def source(self, name, version, files):
        """Add a source distribution with these files; return its hash."""
        content = archived({f"{name}-{version}/{path}": text for path, text in files.items()})
        return self.add(name, f"{name}-{version}.tar.gz", content)

    def add(self, project, file, content, size=None):
        """Add a file as it is; return its hash."""
        digest = hashlib.sha256(content).hexdigest()
        self._files[file] = content
        self._projects.setdefault(project, []).append(
            {
                "filename": file,
                "url": f"../../files/{file}",
                "hashes": {"sha256": digest},
                "size": size or len(content),
                "core-metadata": f"{file}.metadata" in self._files,
            }
        )
        return f"sha256:{digest}"

    def about(self, file, **facts):
        """Say something else about a file than what is true."""
        (entry,) = [e for es in self._projects.values() for e in es if e["filename"] == file]
        entry.update(facts)

    def _links(self, name):
        links = [
            f'<a href="{e["url"]}#sha256={e["hashes"]["sha256"]}">{e["filename"]}</a><br>'
            for e in self._projects[name]
        ]
        return "text/html", f"<html><body>{''.join(links)}</body></html>".encode()

    def _answer(self, path):
        number, kind, rest = [*path.lstrip("/").split("/", 2), "", ""][:3]
        if number != str(self._number):
            return "text/plain", None
        if kind == "files":
            return "application/octet-stream", self._files.get(rest)
        name = rest.strip("/")
        if kind != "simple" or name not in self._projects:
            return "text/plain", None
        if self.html:
            return self._links(name)
        page = {"meta": {"api-version": "1.1"}, "name": name, "files": self._projects[name]}
        return "application/vnd.pypi.simple.v1+json", json.dumps(page).encode()

    def _handler(index):  # noqa: N805 - the handler has a self of its own
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                index.asked.append(self.path)
                index.logins.append(self.headers.get("Authorization"))
                kind, content = index._answer(self.path)
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(content or b"")

            do_HEAD = do_GET  # noqa: N815 - the handler's own spelling

            def log_message(self, *_):
                pass

        return Handler
