import pytest

from analyzers.vocabulary import InputRequest
from tests.worker.engines.providers.standin import Reply
from tests.worker.sources.services import Strict, jpeg, library, only
from worker.sources.picture_search import Brave

LABELS = "google.vision.label_detection"
TOKEN = "t0ken"


@pytest.fixture
def brave():
    server = None

    def answer(asked):
        assert asked.method == "GET"
        assert asked.headers["accept"] == "application/json"
        if asked.headers["x-subscription-token"] != TOKEN:
            return Reply(
                {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422
            )
        more = only(asked.query, safesearch="strict", search_lang="en")
        assert 1 <= int(more.pop("count")) <= 200
        assert 1 <= len(more.pop("q")) <= 400
        assert not more
        results = [
            {
                "type": "image_result",
                "title": f"A cat, {number}",
                "url": f"https://cats.example/{number}",
                "source": "cats.example",
                "thumbnail": {"src": f"{server.url}/small/{number}.jpg"},
                "properties": {"url": f"{server.url}/full/{number}.jpg"},
            }
            for number in range(4)
        ]
        return Reply({"type": "images", "query": {"original": "cat"}, "results": results})

    server = Strict("/res/v1/images/search", answer)
    for number in range(4):
        server.pages[f"/full/{number}.jpg"] = Reply(jpeg((number * 40, 9, 9)))
        server.pages[f"/small/{number}.jpg"] = Reply(jpeg((number * 40, 9, 200)))
    yield server
    server.close()
    assert server.complaints == []


def pictures(server, folder, token=TOKEN):
    return library(Brave(lambda: token, server.url), folder)


def test_finds_pictures_of_unknown_licence(brave, tmp_path):
    brave.pages["/full/1.jpg"] = Reply(b"gone", 404)
    supply = pictures(brave, tmp_path).find(InputRequest(LABELS, "cat"), 3, 0)
    assert [item.content for item in supply.inputs] == [
        jpeg((0, 9, 9)), jpeg((40, 9, 200)), jpeg((80, 9, 9)),
    ]  # fmt: skip
    origin = supply.inputs[0].origin
    assert (origin.source, origin.url, origin.licence) == (
        "brave", "https://cats.example/0", None,
    )  # fmt: skip


def test_token_goes_to_the_search_alone(brave, tmp_path):
    pictures(brave, tmp_path).find(InputRequest(LABELS, "cat"), 2, 0)
    assert ["x-subscription-token" in asked.headers for asked in brave.asked] == [
        True,
        False,
        False,
    ]


def test_feelings_are_searched_as_they_are(brave, tmp_path):
    pictures(brave, tmp_path).find(
        InputRequest("google.vision.face_detection", "joyful human face"), 1, 0
    )
    assert brave.asked[0].query["q"] == ["joyful human face"]


def test_wrong_token_falls_short_without_repeating_it(brave, tmp_path):
    found = pictures(brave, tmp_path, token="wr0ng")
    supply = found.find(InputRequest(LABELS, "cat"), 2, 0)
    assert supply.inputs == ()
    assert "Brave" in supply.shortfall
    assert "wr0ng" not in supply.shortfall
    assert found.search.outages
