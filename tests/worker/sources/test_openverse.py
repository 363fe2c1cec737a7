import io

import pytest
from PIL import Image

from analyzers.vocabulary import InputRequest
from tests.worker.engines.providers.standin import Reply
from worker.engines.providers.http_client import Http
from worker.sources.download_cache import DownloadCache
from worker.sources.keyword_search import Search
from worker.sources.picture_search import Openverse, PictureLibrary

LABELS = "google.vision.label_detection"


def jpeg(colour, size=(120, 90)):
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "JPEG")
    return file.getvalue()


def result(number, base, **more):
    return {
        "id": str(number),
        "title": f"Cat {number}",
        "url": f"{base}/full/{number}.jpg",
        "thumbnail": f"{base}/thumb/{number}.jpg",
        "creator": "Ann",
        "license": "by",
        "license_version": "2.0",
        "foreign_landing_url": f"https://photos.example/{number}",
        "tags": [{"name": "cat"}],
    } | more


@pytest.fixture
def library(stand_in):
    """A server with three pictures of cats."""
    server = stand_in(Reply(b"", 404))
    results = [result(number, server.url) for number in range(3)]
    server.pages["/v1/images/"] = Reply({"result_count": 3, "results": results})
    for number in range(3):
        server.pages[f"/full/{number}.jpg"] = Reply(jpeg((80 * number, 10, 10)))
        server.pages[f"/thumb/{number}.jpg"] = Reply(jpeg((80 * number, 200, 10)))
    server.results = results
    return server


def openverse(server, folder, key=None, offline=False):
    http = Http("Openverse", lambda _: None, tries=2)
    search = Search(Openverse(server.url, key), DownloadCache(folder), offline, http)
    return PictureLibrary(search, Http("pictures", lambda _: None, tries=1, redirects=True))


def test_finds_pictures_with_their_licence(library, tmp_path):
    supply = openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0)
    assert supply.shortfall is None
    assert [item.description for item in supply.inputs] == ["Cat 0", "Cat 1", "Cat 2"]
    origin = supply.inputs[0].origin
    assert (origin.url, origin.author, origin.licence) == (
        "https://photos.example/0",
        "Ann",
        "by 2.0",
    )
    assert supply.inputs[0].content == jpeg((0, 10, 10))
    assert library.asked[0].path == "/v1/images/"
    assert library.asked[0].query["q"] == ["cat"]
    assert int(library.asked[0].query["page_size"][0]) <= 20


def test_second_run_needs_no_network(library, tmp_path):
    first = openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0)
    asked = len(library.asked)
    again = openverse(library, tmp_path, offline=True).find(InputRequest(LABELS, "cat"), 3, 0)
    assert again == first
    assert len(library.asked) == asked


def test_offline_falls_short_at_first(library, tmp_path):
    supply = openverse(library, tmp_path, offline=True).find(InputRequest(LABELS, "cat"), 3, 0)
    assert supply.inputs == ()
    assert "--offline" in supply.shortfall
    assert library.asked == []


def test_key_is_sent_to_the_search_only(library, tmp_path):
    openverse(library, tmp_path, key=lambda: "t0ken").find(InputRequest(LABELS, "cat"), 1, 0)
    search, *downloads = library.asked
    assert search.headers["authorization"] == "Bearer t0ken"
    assert downloads
    assert not any("authorization" in asked.headers for asked in downloads)


def test_missing_picture_takes_its_thumbnail(library, tmp_path):
    library.pages["/full/0.jpg"] = Reply(b"gone", 404)
    library.pages["/full/1.jpg"] = Reply(b"<html>not a picture")
    supply = openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 2, 0)
    assert [item.content for item in supply.inputs] == [
        jpeg((0, 200, 10)),
        jpeg((80, 200, 10)),
    ]


def test_unwanted_things_are_left_out(library, tmp_path):
    library.results[1]["tags"] = [{"name": "Dog"}, "odd", {"name": None}]
    library.results[2]["title"] = "A dog and a cat"
    wanted = InputRequest(LABELS, "cat", other_than=("dog",))
    supply = openverse(library, tmp_path).find(wanted, 3, 0)
    assert [item.description for item in supply.inputs] == ["Cat 0"]
    assert "1 pictures of 'cat'" in supply.shortfall


def test_other_things_are_everyday_ones(library, tmp_path):
    wanted = InputRequest(LABELS, None, other_than=("Bicycle",))
    supply = openverse(library, tmp_path).find(wanted, 3, 0)
    assert len(supply.inputs) == 3
    assert all(item.reading is None for item in supply.inputs)
    assert library.asked[0].query["q"] != ["bicycle"]


def test_same_picture_counts_once(library, tmp_path):
    library.pages["/full/1.jpg"] = library.pages["/full/0.jpg"]
    supply = openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0)
    assert len(supply.inputs) == 2


def test_large_pictures_are_made_smaller(library, tmp_path):
    noise = Image.effect_noise((2000, 1500), 90)
    file = io.BytesIO()
    noise.save(file, "PNG")
    library.pages["/full/0.jpg"] = Reply(file.getvalue())
    (item,) = openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 1, 0).inputs
    assert item.suffix == ".jpg"
    assert max(Image.open(io.BytesIO(item.content)).size) <= 1024


@pytest.mark.parametrize(
    "reply",
    [
        Reply({}, 500),
        Reply({}, 429),
        Reply(b"<html>"),
        Reply({"results": "none"}),
        Reply([1]),
    ],
)
def test_outage_falls_short(library, tmp_path, reply):
    library.pages["/v1/images/"] = reply
    supply = openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0)
    assert supply.inputs == ()
    assert "Openverse" in supply.shortfall
    library.pages["/v1/images/"] = Reply({"results": library.results})
    assert len(openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0).inputs) == 3


def test_strange_results_are_passed_over(library, tmp_path):
    strange = [None, {}, {"url": 7}, {"url": "file:///etc/passwd", "thumbnail": "gopher://x"}]
    library.pages["/v1/images/"] = Reply({"results": [*strange, library.results[0]]})
    supply = openverse(library, tmp_path).find(InputRequest(LABELS, "cat"), 1, 0)
    assert [item.description for item in supply.inputs] == ["Cat 0"]
