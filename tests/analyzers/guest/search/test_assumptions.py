"""Guards on what only the real machine has are passed by assumptions; the input gets through."""

from types import SimpleNamespace

import pytest

from analyzers.guest.clients.given_clients import GivenClients
from analyzers.guest.runtime import assumptions, standins
from analyzers.guest.runtime.standins import Inert, InertModule
from analyzers.guest.search.input_entry import clients_among, find_entry
from tests.analyzers.guest.search.targets import target

CONTENT = "service()['content']"
FACTS = "service()['facts']"

WAYS = {
    "a bot's message": """
        async def f(message):
            if message.author.bot:
                return
            return mood(message.content).score
        """,
    "posts of a language": """
        def f(api):
            return [mood(post.text).score for post in api.search('x') if post.lang == 'en']
        """,
    "events of a kind": """
        def f(poll, kinds):
            for event in poll.listen():
                if event.type == kinds.NEW and event.to_me and not event.muted:
                    mood(event.object['message']['text'])
        """,
    "a form that is valid": """
        def f(request, forms):
            form = forms.Home(request.data)
            if form.is_valid():
                return mood(form.cleaned_data['post'])
        """,
    "rows of a database": """
        def f(connection):
            rows = connection.cursor().execute('select 1').fetchall()
            if len(rows) == 0:
                return None
            return mood(rows[0].review)
        """,
    "a value that has to be a text": """
        import re
        def f(page):
            return mood(re.sub('x', 'y', page.select('h1').next))
        """,
    "a form whose text begins with a sign": """
        def f(request, store):
            text = request.form['text']
            if text[0] == '#':
                return mood(store.next().text)
        """,
    "a library that is handed on": """
        class Posts:
            def __init__(self, api):
                self.api = api.open()
        def of(client, tag):
            return [post.text for post in client.search(tag)]
        def f(api, client):
            Posts(api)
            return [mood(text) for text in of(client, '#x')]
        """,
    "a name that only sounds like a text": """
        def f(messages):
            message = messages.history().message
            if message.size > 0 and len(message) ** message.sender:
                return mood(message.body.text)
        """,
    "an answer at the keyboard": """
        def f(store):
            if input('Go on? ').lower() != 'y':
                return
            if int(input('How many? ')) > 0:
                return mood(store.next().text)
        """,
    "an option of the command line": """
        import argparse
        def f(feed):
            parser = argparse.ArgumentParser()
            parser.add_argument('count', type=int)
            parser.add_argument('--live', action='store_true')
            given = parser.parse_args()
            if given.live and given.count == 1:
                return mood(feed.entries[0].title)
        """,
}


@pytest.mark.parametrize("way", WAYS)
def test_assumptions_lead_to_the_call(way: str) -> None:
    entry = find_entry(target(WAYS[way]), [])
    assert entry.slot == CONTENT, entry
    assert entry.arguments is not None
    assert entry.arguments[FACTS]["kind"] == "literal"


def test_parameter_is_preferred_to_an_assumption() -> None:
    entry = find_entry(target("def f(text, api):\n    return mood(text), api.x"), [])
    assert entry.slot == "text"


def test_parameter_takes_the_input_where_the_rest_is_assumed() -> None:
    source = """
        def f(image, settings):
            if settings.muted:
                return None
            return labels(bytes(bytearray(image)))
        """
    entry = find_entry(target(source), [])
    assert entry.slot == "image", entry
    assert entry.arguments is not None
    assert "muted" in entry.arguments[FACTS]["source"]


def test_code_that_asks_nothing_stays_so() -> None:
    entry = find_entry(target("def f(api):\n    return api.x and api.y == 1"), [])
    assert entry.arguments is None


def test_loop_on_a_stand_in_ends() -> None:
    with assumptions.assuming({}):
        queue, rounds = Inert("queue"), 0
        while queue.more():
            rounds += 1
    assert rounds == assumptions.MOST_TIMES


def test_unpacking_gets_as_many_as_it_wants() -> None:
    with assumptions.assuming({"content": b"x"}):
        first, second = Inert("reader").next()
        assert [name for name in (first, second) if standins.is_standin(name)] == [first, second]
        assert len(list(Inert("reader").rows())) == 1
    assert not list(Inert("reader").rows())


def test_content_has_the_type_that_the_name_calls_for() -> None:
    with assumptions.assuming({"content": b"picture"}):
        assert Inert("response").content == b"picture"
        assert Inert("camera").get_jpeg() == b"picture"
        assert standins.is_standin(Inert("response").text)
    with assumptions.assuming({"content": "words"}):
        assert Inert("message").text == "words"
        assert Inert("row")["title"] == "words"
        assert standins.is_standin(Inert("message").author)


def test_exception_of_a_missing_library_takes_keywords() -> None:
    error = standins.attribute("fastapi.HTTPException")(status_code=404, detail="no such file")
    assert (error.status_code, error.detail) == (404, "no such file")


def test_client_that_code_is_handed_is_made() -> None:
    entries = [
        {"methods": ["boto3.client('rekognition').detect_labels"]},
        {"methods": ["azure.ai.textanalytics.TextAnalyticsClient.analyze_sentiment"]},
        {"methods": ["openai.ChatCompletion.create", "openai.chat.completions.create"]},
        {"methods": ["openai.responses.create"]},
        {"methods": ["nowhere.Client.look"]},
    ]
    clients = GivenClients(entries, InertModule)
    assert clients.method("rek_object.detect_labels").__self__.meta.service_model.service_name
    assert callable(clients.method("self.client.analyze_sentiment"))
    assert callable(clients.method("llm.chat.completions.create"))
    assert callable(clients.method("llm.responses.create"))
    assert clients.method("llm.other") is None


def test_parameters_that_are_clients_are_known_by_their_methods(monkeypatch) -> None:
    source = (
        "def f(llm, text, other):\n    return llm.responses.create(input=text.a.b, x=other.c)\n"
    )
    prepared = SimpleNamespace(sources={"app.py": source}, path="app.py", name="f")
    found = {"llm.responses.create": print}
    monkeypatch.setattr(standins, "client_method", found.get)
    assert clients_among(prepared, ["llm", "text", "other"]) == ["llm"]
    assert clients_among(SimpleNamespace(sources={}, path="app.py", name="<module>"), []) == []
