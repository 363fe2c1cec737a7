"""Unknown arguments learn what the code makes of them; plain ones reach the API in their place."""

import ast
import asyncio
import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzers.guest.inputs import recipes
from analyzers.guest.inputs.external_inputs import typed_text
from analyzers.guest.protocol.api_calls import EmptyAnswers
from analyzers.guest.runtime import name_lookup
from analyzers.guest.runtime.execution import PreparedTarget, execute
from analyzers.guest.search.input_entry import find_entry
from analyzers.guest.search.learning.argument_learning import LearnedArguments, learn_arguments
from analyzers.guest.search.learning.argument_shapes import (
    PLAIN_TEXT,
    ArgumentShape,
    shape_of_annotation,
    shape_of_json,
)
from analyzers.guest.search.obstacles import returned_early
from tests.analyzers.guest.search.targets import mood, target

REACHED = {
    "a message in JSON in an event": """
        import json
        def f(event, context):
            message = json.loads(event['Records'][0]['Sns']['Message'])
            if message['Status'] != 'SUCCEEDED':
                return None
            return mood(message['Text'] + '.').score
        """,
    "an event of storage": """
        from urllib.parse import unquote_plus
        def f(event, context):
            record = event['Records'][0]
            if record['eventSource'] != 'aws:s3':
                return None
            key = unquote_plus(record['s3']['object']['key'])
            if not key.endswith('.txt'):
                return None
            return mood(key + str(record['s3']['object']['size'] / 2)).score
        """,
    "an event of a gateway": """
        import base64, json
        def f(event, context):
            if event['httpMethod'] != 'POST' or not event.get('body'):
                return {'statusCode': 405}
            body = event['body']
            if event.get('isBase64Encoded', False):
                body = base64.b64decode(body)
            return mood(json.loads(body)['text'].strip()).score
        """,
    "messages of a queue": """
        import json
        def f(event, context):
            for record in event['Records']:
                order = json.loads(record['body'])
                if order.get('total', 0) > 100 and 'note' in order:
                    print(mood(order['note'] + context.function_name).score)
        """,
    "a conversation at the keyboard": """
        def f(settings):
            while True:
                text = input('You: ').strip()
                if text.lower() in ('quit', 'exit'):
                    break
                if len(text.split()) < 2:
                    continue
                print(mood(settings['prefix'] + text).score)
        """,
    "a number in a text": """
        def f(amount, settings):
            if int(amount) > 10:
                return mood(settings['prefix'] + str(amount)).score
        """,
    "keyword arguments": """
        def f(options):
            return g(**options['how'])
        def g(**names):
            return mood(' '.join(names)).score
        """,
    "guards on attributes of an object": """
        def f(request):
            if request.method != 'POST' or not request.user.is_admin:
                return 1
            return mood(request.get_json()['items'][0]['text'].strip()).score
        """,
    "an exception that is swallowed": """
        def f(items):
            try:
                found = {key: value['a']['b'].strip() for key, value in items.items()}
                return mood(found[list(found)[0]]).score
            except Exception as error:
                return str(error)
        """,
    "a text of three parts": """
        def f(line):
            a, b, c = line.split(',')
            return mood(a + b + c).score
        """,
    "a key of a table": """
        TABLE = {'one': 'a text', 'two': 'another'}
        def f(kind):
            return mood(TABLE[kind]).score
        """,
    "bytes that a method gives": """
        import base64
        def f(fileobj):
            return mood(base64.b64encode(fileobj.getvalue()).decode()).score
        """,
    "an error that the code expects": """
        WORDS = {1: 'one', 2: 'two'}
        def f(config):
            try:
                word = WORDS[config['number']]
            except KeyError:
                word = 'none'
            try:
                return mood(word + config['number'].strip() + config['text']).score
            except Exception as error:
                raise RuntimeError('failed') from error
        """,
    "a method that is awaited": """
        async def f(update, context):
            data = await update.json()
            if data.get('kind') == 'image':
                return mood(data['text'] + '.').score
        """,
    "a type that is insisted on": """
        def f(given):
            if not isinstance(given, dict):
                raise TypeError('no')
            return mood(given['a'] + 'b').score
        """,
    "a text of some length": """
        def f(order):
            if len(order['note']) < 200:
                return None
            return mood(order['note'] + '.').score
        """,
    "a key of a table that is asked for": """
        TOPICS = {'jam': {'name': 'Jam'}, 'owls': {'name': 'Owls'}}
        KNOWN = frozenset({'image/png', 'image/jpeg'})
        def f(order):
            topic = TOPICS.get(order['topic'])
            if topic is None or order['type'] not in KNOWN:
                return None
            return mood(topic['name']).score
        """,
    "texts that are insisted on": """
        def f(data):
            fields = ('a', 'b', 'c', 'd')
            if any(not isinstance(data.get(each), str) for each in fields):
                raise TypeError('no')
            return mood(data['a'] + data['b']).score
        """,
    "an upload that is read": """
        async def f(upload, note):
            content = await upload.read()
            return labels(content)[0].description + note['x'].strip()
        """,
    "a connection that is served without end": """
        async def f(websocket):
            await websocket.accept()
            while True:
                text = await websocket.receive_text()
                await websocket.send_text(str(mood(text + '.').score))
        """,
    "the sign of a number": """
        def f(order):
            losses = -order['change'] + abs(order['fee'])
            return mood(order['name'].strip() + str(losses)).score
        """,
    "an optional argument": """
        def f(order, options=None):
            if options is None:
                return None
            return mood(order['x'] + options['y']).score
        """,
}


@pytest.mark.parametrize("case", REACHED)
def test_api_is_reached_with_plain_arguments(case: str) -> None:
    prepared = target(REACHED[case])
    made = learned(prepared).arguments
    assert made
    for argument in made.values():
        assert recipes.names(recipes.parse(argument["recipe"])) == frozenset()
    assert execute(prepared, made, EmptyAnswers(), 1.0).exchanges


def learned(prepared: PreparedTarget) -> LearnedArguments:
    def replay(arguments: Any) -> Any:
        result = execute(prepared, arguments, EmptyAnswers(), 1.0)
        return result.ending, bool(result.exchanges)

    def explain(arguments: Any, ending: Any) -> str:
        return str(ending.get("message") or returned_early(prepared, arguments, 1.0))

    return learn_arguments(prepared, {}, _Asked, replay, explain)


class _Asked(EmptyAnswers):
    """Gives empty answers and keeps the requests."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def __call__(self, request: Any) -> Any:
        self.requests.append(request)
        return super().__call__(request)


def _made(source: str) -> Any:
    found = learned(target(source))
    assert found.arguments is not None, found.reason
    return {key: argument["recipe"] for key, argument in found.arguments.items()}


HELPER = """
class Helper:
    def __init__(self, settings, names):
        if int(settings['most']) < 10:
            raise ValueError('too few')
        self.prefix = settings['prefix'] + '.'
        self.names = [name.strip() for name in names]

    def ask(self, question):
        if self.names and 'text' in question:
            return mood(self.prefix + question['text'])
"""


def test_instance_of_a_method_is_made_as_its_class_wants_it(tmp_path, monkeypatch) -> None:
    Path(tmp_path, "helpers.py").write_text(HELPER)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("helpers")
    monkeypatch.setattr(module, "mood", mood, raising=False)
    function = module.Helper.ask
    prepared = replace(
        target("def f(question): ..."),
        root=str(tmp_path),
        path="helpers.py",
        name="Helper.ask",
        function=name_lookup.callable_of(function, module.Helper),
        method=name_lookup.method_of(function, module.Helper),
        namespace=vars(module),
        sources={"helpers.py": HELPER},
    )
    made = learned(prepared).arguments
    assert made
    assert made["self"]["recipe"].startswith("Helper(")
    assert execute(prepared, made, EmptyAnswers(), 1.0).exchanges


def test_event_has_the_structure_that_is_read() -> None:
    event = ast.literal_eval(_made(REACHED["a message in JSON in an event"])["event"])
    message = ast.literal_eval(event["Records"][0]["Sns"]["Message"])
    assert message == {"Status": "SUCCEEDED", "Text": PLAIN_TEXT}


def test_text_is_as_long_as_the_guard_wants() -> None:
    order = ast.literal_eval(_made(REACHED["a text of some length"])["order"])
    assert len(order["note"]) >= 200


def test_input_takes_the_place_of_a_text() -> None:
    source = (
        "def f(order):\n    if order['kind'] == 'note':\n        return mood(order['text'] + '!')"
    )
    entry = find_entry(target(source), [])
    assert entry.arguments is not None
    assert entry.slot == "order['text']"
    assert entry.arguments["order['kind']"] == {"kind": "made", "recipe": "'note'"}


STOPPED = {
    "a guard on what nothing can change": (
        "import re\ndef f(order):\n    if not re.match('A[0-9]', order['code']):\n"
        "        return None\n    return mood(order['x'] + 'y').score",
        "app.py:4",
    ),
    "a value of ours that is refused": (
        "def f(order):\n    order['a'].strip()\n    return [1][int(order['n']) + 7] + mood('x')",
        "`order['n']`",
    ),
}


@pytest.mark.parametrize("case", STOPPED)
def test_reason_is_that_of_the_furthest_call(case: str) -> None:
    source, named = STOPPED[case]
    entry = find_entry(target(source), [])
    assert entry.arguments is None
    assert named in (entry.obstacle or "")
    assert "made up" in (entry.obstacle or "")


def test_shape_survives_the_way_between_processes() -> None:
    shape = ArgumentShape("event")
    shape.item("Records").item(0).attribute("body").become("json")
    shape.item("Records").item(0).attribute("body").parsed().item("n").become("int", 3)
    again = shape_of_json(shape.as_json())
    assert again.recipe().source() == shape.recipe().source()
    assert "config(body='{\"n\": 3}')" in again.recipe().source()


@pytest.mark.parametrize(
    ("annotation", "recipe"),
    [
        ("Optional[int]", "1"),
        ("list[dict]", "[{}]"),
        ("bytes | None", repr(PLAIN_TEXT.encode())),
        ("Path", "path('text', '.txt')"),
    ],
)
def test_annotations_give_the_first_shape(annotation: str, recipe: str) -> None:
    assert shape_of_annotation("given", annotation).recipe().source() == recipe


def test_kind_is_suggested_once() -> None:
    shape = ArgumentShape("x")
    assert shape.become("text")
    assert shape.become("int")
    assert not shape.become("text")


def test_script_answers_one_question_after_the_other() -> None:
    with typed_text(["yes", "quit"]):
        assert input() == "yes"
        assert input() == "quit"
        with pytest.raises(EOFError):
            input()


def test_coroutine_is_awaited() -> None:
    made = recipes.evaluate(recipes.parse("config(read=coroutine(b'x'))"), {})
    assert asyncio.run(made.read(3)) == b"x"
