"""The index's simple API (PEP 503, PEP 691): which source distributions there are."""

from __future__ import annotations

import hashlib
import json
import ssl
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import httpx
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename

from worker.environments.declarations.declaration import Declaration, TargetPython, read_requirement
from worker.environments.sdists.sandboxed_build import (
    BuildExecutor,
    BuildRequirements,
    BuiltWheel,
    checked_wheel,
)
from worker.environments.sdists.source_distribution import (
    LARGEST_SOURCE,
    MIB,
    BuildSystem,
    NotBuilt,
    Sdist,
    SdistRequirement,
    Wheel,
    read_build_system,
)
from worker.environments.uv import Index, Unreachable
from worker.system.temporary_files import owned_folder

ACCEPTED = "application/vnd.pypi.simple.v1+json, text/html;q=0.2"
LARGEST_PAGE = 32 * MIB
TIMEOUT = httpx.Timeout(30.0)
MOST_REDIRECTS = 5
PIECE = 1 << 16
ENDING = ".tar.gz"


class SimpleIndex:
    """The operator's index, asked until ``deadline`` (of ``time.monotonic``)."""

    def __init__(self, index: Index, deadline: float) -> None:
        self._index = index
        self._deadline = deadline

    def find(self, wanted: SdistRequirement, python: str) -> Sdist:
        """Return the newest fitting sdist; raise ``NotBuilt``, ``Unreachable``."""
        name = canonicalize_name(wanted.name)
        found = {each.version: each for each in self._sdists(name, wanted, python)}
        try:
            newest = max(SpecifierSet(wanted.specifier).filter(found), default=None)
        except InvalidSpecifier as error:
            raise NotBuilt("no version of it will do") from error
        if newest is None:
            raise NotBuilt(f"the index has no source of it as {ENDING} with a hash")
        return found[newest]

    def download(self, sdist: Sdist, place: Path) -> None:
        """Fetch it, and check its hash.  Raises ``NotBuilt`` or ``Unreachable``."""
        digest = hashlib.sha256()
        with place.open("wb") as file:
            for piece in self._pieces(sdist.url, LARGEST_SOURCE, {}):
                digest.update(piece)
                file.write(piece)
        if f"sha256:{digest.hexdigest()}" != sdist.hash:
            raise NotBuilt("its source does not have the hash that it should have")

    def _sdists(self, name: str, wanted: SdistRequirement, python: str) -> Iterator[Sdist]:
        pinned = "==" in wanted.specifier
        for file in self._files(name):
            try:
                owner, version = parse_sdist_filename(str(file.get("filename")))
            except InvalidSdistFilename:
                continue
            usable = owner == name and str(file["filename"]).endswith(ENDING)
            digest = f"sha256:{file['sha256']}" if file.get("sha256") else ""
            fits = digest and (not wanted.hashes or digest in wanted.hashes)
            dropped = file.get("yanked") and not pinned
            if usable and fits and not dropped and _runs_on(file.get("requires-python"), python):
                yield Sdist(name, version, str(file["url"]), digest)

    def _files(self, name: str) -> Iterator[Mapping[str, Any]]:
        address = f"{self._index.url.rstrip('/')}/{name}/"
        kind: dict[str, str] = {}
        content = b"".join(self._pieces(address, LARGEST_PAGE, kind)).decode("utf-8", "replace")
        try:
            read = _from_json if "json" in kind.get("content-type", "") else _from_html
            files = read(content)
            places = [urldefrag(urljoin(kind["url"], str(file["url"]))).url for file in files]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Unreachable(f"the index's page of {name} cannot be read") from error
        for file, place in zip(files, places, strict=True):
            yield {**file, "url": place}

    def _pieces(self, url: str, most: int, about: dict[str, str]) -> Iterator[bytes]:
        """Yield the body at an address; ``about`` takes its content type and where it was."""
        size = 0
        try:
            with self._answer(url) as answer:
                if answer.status_code == HTTPStatus.NOT_FOUND:
                    raise NotBuilt("the index does not have it")
                answer.raise_for_status()
                about |= {"content-type": answer.headers.get("content-type", "")}
                about |= {"url": str(answer.url)}
                for piece in answer.iter_bytes(PIECE):
                    size += len(piece)
                    if size > most:
                        raise NotBuilt(f"what the index sends has more than {most // MIB} MiB")
                    if time.monotonic() > self._deadline:
                        raise Unreachable("the time for installing was over")
                    yield piece
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"the index cannot be asked: {type(error).__name__}") from error

    @contextmanager
    def _answer(self, url: str) -> Generator[httpx.Response]:
        if urlsplit(url).scheme not in {"https", urlsplit(self._index.url).scheme}:
            raise NotBuilt("its source lies at an address that is not https")
        with (
            httpx.Client(
                verify=_trust(),
                timeout=TIMEOUT,
                follow_redirects=True,
                max_redirects=MOST_REDIRECTS,
            ) as client,
            client.stream(
                "GET",
                url,
                headers={"Accept": ACCEPTED, "Accept-Encoding": "identity"},
                auth=self._login(url),
            ) as answer,
        ):
            yield answer

    def _login(self, url: str) -> tuple[str, str] | None:
        ours, theirs = urlsplit(self._index.url), urlsplit(url)
        same = (ours.scheme, ours.netloc) == (theirs.scheme, theirs.netloc)
        if not same or self._index.secret is None:
            return None
        user, _, password = self._index.secret.partition(":")
        return user, password


@cache
def _trust() -> ssl.SSLContext:
    """Whom we trust, read once: it takes longer than a request."""
    return httpx.create_ssl_context()


def _runs_on(requires: object, python: str) -> bool:
    try:
        return not requires or SpecifierSet(str(requires)).contains(python)
    except InvalidSpecifier:
        return False


def _from_json(content: str) -> Sequence[Mapping[str, Any]]:
    return [
        {**file, "sha256": file.get("hashes", {}).get("sha256")}
        for file in json.loads(content)["files"]
    ]


def _from_html(content: str) -> Sequence[Mapping[str, Any]]:
    page = _Page()
    page.feed(content)
    return page.files


class _Page(HTMLParser):
    """The links of a PEP 503 page."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[Mapping[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a link in; its fragment is the hash."""
        given = dict(attrs)
        url, _, fragment = (given.get("href") or "").partition("#")
        if tag != "a" or not url:
            return
        kind, _, digest = fragment.partition("=")
        self.files.append(
            {
                "filename": urlsplit(url).path.rpartition("/")[2],
                "url": url,
                "sha256": digest if kind == "sha256" else None,
                "requires-python": given.get("data-requires-python"),
                "yanked": "data-yanked" in given,
            }
        )


Lend = Callable[[Declaration], AbstractContextManager[Path]]


class SdistBuilder:
    """Builds wheels for one Python; ``lend`` gives an environment with a build's requirements."""

    def __init__(self, index: SimpleIndex, bench: BuildExecutor, python: str, lend: Lend) -> None:
        self._index = index
        self._bench = bench
        self._python = python
        self._lend = lend

    def build(self, wanted: SdistRequirement, folder: Path) -> Wheel:
        """Build the newest fitting version; raise ``NotBuilt``, ``Unreachable``."""
        sdist = self._index.find(wanted, self._python)
        with owned_folder("source") as work:
            tree = work / "tree"
            tree.mkdir()
            self._index.download(sdist, tree / "source.tar.gz")
            system = read_build_system(tree / "source.tar.gz")
            built = self._built(tree, system, sdist)
        return checked_wheel(built, sdist, self._python, folder)

    def _built(self, tree: Path, system: BuildSystem, sdist: Sdist) -> BuiltWheel:
        """Build; what the backend asks for is installed outside, and once."""
        reply = self._tried(tree, system, system.requires, sdist)
        if isinstance(reply, BuildRequirements):
            requires = (*system.requires, *reply.requirements)
            reply = self._tried(tree, system, requires, sdist, dynamic=False)
        if isinstance(reply, BuildRequirements):
            raise NotBuilt("its build asks for packages again and again")
        return reply

    def _tried(
        self,
        tree: Path,
        system: BuildSystem,
        requires: Sequence[str],
        sdist: Sdist,
        *,
        dynamic: bool = True,
    ) -> BuildRequirements | BuiltWheel:
        declaration = Declaration([f"what the build of {sdist.name} {sdist.version} needs"])
        for text in requires:
            read_requirement(declaration, text, "", TargetPython(self._python))
        for left_out in declaration.left_out:
            raise NotBuilt(f"its build needs {left_out}")
        with self._lend(declaration) as python:
            return self._bench.run(tree, python, system, dynamic=dynamic)
