"""Search services on the loopback that answer only what the real ones do."""

import io

from PIL import Image

from tests.worker.engines.providers.standin import Reply, StandIn
from worker.engines.providers.http_client import Http
from worker.sources.download_cache import DownloadCache
from worker.sources.keyword_search import Search
from worker.sources.picture_search import PictureLibrary


class Strict(StandIn):
    """``answer`` takes what was asked; what it refuses is kept in ``complaints``."""

    def __init__(self, path: str, answer) -> None:
        super().__init__(Reply(b"", 404))
        self._path = path
        self._told = answer
        self.complaints: list[str] = []

    def reply(self, path: str) -> Reply:
        if path != self._path:
            return super().reply(path)
        try:
            return self._told(self.asked[-1])
        except (AssertionError, KeyError) as error:
            self.complaints.append(repr(error))
            return Reply({"error": {"code": "badrequest"}}, 400)


def only(query: dict, **expected: str) -> dict[str, str]:
    """The parameters that are not among those expected, which must be as they are."""
    given = {name: value[0] for name, value in query.items()}
    for name, value in expected.items():
        assert given.pop(name) == value, name
    return given


def jpeg(colour, size=(120, 90)):
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "JPEG")
    return file.getvalue()


def library(service, folder, offline=False):
    """Pictures of a service, asked quickly."""
    http = Http(service.name, lambda _: None, tries=2)
    search = Search(service, DownloadCache(folder), offline, http)
    return PictureLibrary(search, Http("pictures", lambda _: None, tries=1, redirects=True))
