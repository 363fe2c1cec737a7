import pytest

from analyzers.vocabulary import InputKind, InputRequest
from tests.worker.engines.providers.standin import Reply
from tests.worker.sources.services import Strict, only
from worker.engines.providers.http_client import Http
from worker.sources.download_cache import DownloadCache
from worker.sources.keyword_search import Search
from worker.sources.wikimedia import LONGEST, Articles, Wikipedia

CLASSIFY = "google.language.classify_text"
SENTENCE = "A film, also called a movie, is a work of visual art that tells a story. "


def article(number: int, **more) -> dict:
    return {
        "pageid": number,
        "ns": 0,
        "title": f"Film {number}",
        "index": number + 1,
        "extract": f"Number {number} is a film.\n" + SENTENCE * 30,
        "fullurl": f"https://en.wikipedia.example/wiki/Film_{number}",
    } | more


@pytest.fixture
def wikipedia():
    found = [
        article(0),
        article(1, title="List of films"),
        article(2, pageprops={"disambiguation": ""}),
        article(3, extract="Too short."),
        article(4, extract=None),
        *(article(number) for number in range(5, 24)),
    ]

    def answer(asked):
        more = only(
            asked.query,
            action="query",
            format="json",
            formatversion="2",
            generator="search",
            gsrnamespace="0",
            prop="extracts|info|pageprops",
            exintro="1",
            explaintext="1",
            exlimit="20",
            inprop="url",
            ppprop="disambiguation",
            gsrlimit="20",
        )
        assert "ann@example.org" in asked.headers["user-agent"]
        offset = int(more.pop("gsroffset", "0"))
        if more.pop("gsrsearch") != "Movies":
            return Reply({"batchcomplete": True})
        assert not more
        return Reply({"batchcomplete": True, "query": {"pages": found[offset : offset + 20]}})

    server = Strict("/w/api.php", answer)
    yield server
    server.close()
    assert server.complaints == []


def articles(server, folder, offline=False):
    http = Http("Wikipedia", lambda _: None, tries=1)
    service = Wikipedia(server.url, "ann@example.org")
    return Articles(Search(service, DownloadCache(folder), offline, http))


def test_category_is_searched_by_its_last_part(wikipedia, tmp_path):
    wanted = InputRequest(CLASSIFY, "/Arts & Entertainment/Movies")
    supply = articles(wikipedia, tmp_path).find(wanted, 3, 0)
    assert supply.shortfall is None
    for item in supply.inputs:
        assert (item.kind, item.suffix) == (InputKind.TEXT, ".txt")
        assert item.reading == "/Arts & Entertainment/Movies"
        assert 200 <= len(item.content) <= LONGEST
        assert item.content.endswith(b".")
        assert item.origin.licence == "CC BY-SA 4.0"
        assert item.origin.url.startswith("https://en.wikipedia.example/wiki/Film_")


def test_lists_and_choices_are_no_documents(wikipedia, tmp_path):
    supply = articles(wikipedia, tmp_path).find(InputRequest(CLASSIFY, "Movies"), 30, 0)
    assert len(supply.inputs) == 20
    assert "20 articles on 'Movies'" in supply.shortfall
    assert supply.inputs[1].description == "the article 'Film 5'"


def test_second_run_needs_no_network(wikipedia, tmp_path):
    first = articles(wikipedia, tmp_path).find(InputRequest(CLASSIFY, "Movies"), 20, 0)
    asked = len(wikipedia.asked)
    again = articles(wikipedia, tmp_path, offline=True)
    assert again.find(InputRequest(CLASSIFY, "Movies"), 20, 0) == first
    assert "--offline" in again.find(InputRequest(CLASSIFY, "Cars"), 2, 0).shortfall
    assert len(wikipedia.asked) == asked == 2
