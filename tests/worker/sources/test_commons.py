import pytest

from analyzers.vocabulary import InputRequest
from tests.worker.engines.providers.standin import Reply
from tests.worker.sources.services import Strict, jpeg, library, only
from worker.sources.wikimedia import Commons

LABELS = "google.vision.label_detection"
FOUND = 23


def page(number: int, base: str) -> dict:
    """A file as the Action API describes it."""
    return {
        "pageid": 1000 + number,
        "ns": 6,
        "title": f"File:Cat {number}.jpg",
        "index": number + 1,
        "imagerepository": "local",
        "imageinfo": [
            {
                "thumburl": f"{base}/thumb/{number}.jpg",
                "url": f"{base}/full/{number}.jpg",
                "descriptionurl": f"https://commons.example/wiki/File:Cat_{number}.jpg",
                "mime": "image/jpeg",
                "extmetadata": {
                    "LicenseShortName": {"value": "CC BY-SA 4.0", "source": "commons-desc-page"},
                    "Artist": {"value": '<a href="//example/Ann">Ann &amp; Bob</a>'},
                    "Categories": {"value": "Sleeping cats|Quality images"},
                },
            }
        ],
    }


@pytest.fixture
def commons():
    server = None

    def answer(asked):
        more = only(
            asked.query,
            action="query",
            format="json",
            formatversion="2",
            generator="search",
            gsrnamespace="6",
            prop="imageinfo",
            iiprop="url|mime|extmetadata",
            iiurlwidth="1024",
            iiextmetadatafilter="LicenseShortName|Artist|Categories",
        )
        assert asked.method == "GET"
        assert "ann@example.org" in asked.headers["user-agent"]
        offset, limit = int(more.pop("gsroffset", "0")), int(more.pop("gsrlimit"))
        assert limit <= 50
        if more.pop("gsrsearch") != "filetype:bitmap cat":
            return Reply({"batchcomplete": True})
        assert not more
        pages = [page(n, server.url) for n in range(offset, min(offset + limit, FOUND))]
        pages.reverse()  # they come in any order, each with its rank
        return Reply({"batchcomplete": True, "query": {"pages": pages}})

    server = Strict("/w/api.php", answer)
    for number in range(FOUND):
        server.pages[f"/thumb/{number}.jpg"] = Reply(jpeg((number * 10, 9, 9)))
    yield server
    server.close()
    assert server.complaints == []


def pictures(server, folder, offline=False):
    return library(Commons(server.url, "ann@example.org"), folder, offline)


def test_finds_pictures_with_author_and_licence(commons, tmp_path):
    supply = pictures(commons, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0)
    assert supply.shortfall is None
    assert [item.description for item in supply.inputs] == ["Cat 0", "Cat 1", "Cat 2"]
    origin = supply.inputs[0].origin
    assert (origin.source, origin.author, origin.licence) == (
        "commons", "Ann & Bob", "CC BY-SA 4.0",
    )  # fmt: skip
    assert origin.url == "https://commons.example/wiki/File:Cat_0.jpg"


def test_goes_on_to_the_next_page(commons, tmp_path):
    supply = pictures(commons, tmp_path).find(InputRequest(LABELS, "cat"), 25, 0)
    assert len(supply.inputs) == FOUND
    assert f"{FOUND} pictures of 'cat'" in supply.shortfall


def test_second_run_needs_no_network(commons, tmp_path):
    first = pictures(commons, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0)
    asked = len(commons.asked)
    assert (
        pictures(commons, tmp_path, offline=True).find(InputRequest(LABELS, "cat"), 3, 0) == first
    )
    assert len(commons.asked) == asked


def test_nothing_found_is_no_outage(commons, tmp_path):
    found = pictures(commons, tmp_path)
    assert "0 pictures of 'xyzzy'" in found.find(InputRequest(LABELS, "xyzzy"), 3, 0).shortfall
    assert not found.search.outages


def test_categories_are_names(commons, tmp_path):
    wanted = InputRequest(LABELS, "cat", other_than=("sleeping cats",))
    assert pictures(commons, tmp_path).find(wanted, 3, 0).inputs == ()


@pytest.mark.parametrize("reply", [
    Reply({"error": {"code": "maxlag", "info": "Waiting"}}), Reply({"query": {}}), Reply({}),
    Reply({"error": "odd"}), Reply([]), Reply(b"<html>"),
])  # fmt: skip
def test_failure_in_an_answer_is_an_outage(tmp_path, stand_in, reply):
    found = pictures(stand_in(reply), tmp_path)
    supply = found.find(InputRequest(LABELS, "cat"), 3, 0)
    assert supply.inputs == ()
    assert "Wikimedia Commons" in supply.shortfall
    assert found.search.outages


def test_files_of_other_types_are_passed_over(stand_in, tmp_path):
    server = stand_in(Reply(b"", 404))
    pages = [page(number, server.url) for number in range(3)]
    pages[0]["imageinfo"][0]["mime"] = "image/svg+xml"
    del pages[1]["imageinfo"]
    server.pages["/w/api.php"] = Reply({"batchcomplete": True, "query": {"pages": pages}})
    server.pages["/full/2.jpg"] = Reply(jpeg((1, 2, 3)))
    (item,) = pictures(server, tmp_path).find(InputRequest(LABELS, "cat"), 1, 0).inputs
    assert item.description == "Cat 2"
