"""Parts of answers that some answers lack, read in the text of functions."""

from pathlib import Path

import pytest

from analyzers.source_checks import READERS
from analyzers.source_checks.answer_shapes import missing_parts
from analyzers.source_checks.sdk_declarations import (
    classes,
    named,
    requests,
    results,
    shapes,
    short,
)
from analyzers.vocabulary import Level
from scripts.extract_schemas.source_declarations import BEDROCK as ANSWERS
from scripts.extract_schemas.source_declarations import declarations, service_declarations

OPENAI = "from openai import OpenAI\nclient = OpenAI()\n"
ANTHROPIC = "import anthropic\nclient = anthropic.Anthropic()\n"
GEMINI = "from google import genai\nfrom google.genai import types\nclient = genai.Client()\n"
CHUNK = "from openai.types.chat import ChatCompletionChunk\nfrom openai import Stream\n"
ASKED = "client.chat.completions.create(model='m', messages=m"
CLAUDE = "client.messages.create(model='m', max_tokens=9, messages=m"
BEDROCK = "import boto3\nclient = boto3.client('bedrock-runtime')\n"


def told(text):
    return [(each.level, each.line) for each in missing_parts(text)]


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (
            f"{OPENAI}def f(m):\n    a = {ASKED}, tools=[1]).choices[0].message\n"
            "    return a.content.strip()\n",
            Level.FAILURE,
        ),
        (
            f"{OPENAI}def f(m, tools=None):\n    a = {ASKED}, tools=tools)\n"
            "    return len(a.choices[0].message.content)\n",
            Level.WARNING,
        ),
        (
            f"{OPENAI}def f(m):\n    a = {ASKED}, tools=[1]).choices[0].message\n"
            "    return [call.id for call in a.tool_calls]\n",
            Level.FAILURE,
        ),
        (
            f"{OPENAI}def f(m):\n    s = ''\n    for c in {ASKED}, stream=True):\n"
            "        s += c.choices[0].delta.content\n    return s\n",
            Level.FAILURE,
        ),
        (
            f"{OPENAI}def f(m):\n"
            f"    for c in {ASKED}, stream=True, stream_options={{'include_usage': True}}):\n"
            "        print(c.choices[0].delta)\n",
            Level.FAILURE,
        ),
        (
            f"{CHUNK}async def f(stream: Stream[ChatCompletionChunk]):\n"
            "    async for chunk in stream:\n        yield chunk.choices[0].delta\n",
            Level.WARNING,
        ),
        (
            f"{ANTHROPIC}def f(m):\n    for block in {CLAUDE}, tools=[1]).content:\n"
            "        print(block.text)\n",
            Level.FAILURE,
        ),
        (
            f"{ANTHROPIC}def f(m):\n    for event in {CLAUDE}, stream=True):\n"
            "        print(event.delta.text)\n",
            Level.FAILURE,
        ),
        (
            f"{GEMINI}async def f(q):\n"
            "    a = await client.aio.models.generate_content(model='m', contents=q)\n"
            "    return a.candidates[0].content.parts[0].text\n",
            Level.WARNING,
        ),
        (
            f"{GEMINI}def f(q):\n    c = types.GenerateContentConfig(tools=[q])\n"
            "    a = client.models.generate_content(model='m', contents=q, config=c)\n"
            "    return 'yes' in a.text\n",
            Level.FAILURE,
        ),
        (
            f"{GEMINI}def parse(answer: types.GenerateContentResponse) -> str:\n"
            "    return answer.text.strip()\n",
            Level.WARNING,
        ),
        (
            f"{BEDROCK}def f(m):\n"
            "    a = client.converse(modelId='m', messages=m, toolConfig={'tools': m})\n"
            "    return [b['text'] for b in a['output']['message']['content']]\n",
            Level.FAILURE,
        ),
    ],
)
def test_use_without_a_guard_is_told(text, level):
    assert [each for each, _ in told(text)] == [level]


@pytest.mark.parametrize(
    "use",
    [
        "(a.content or '').strip()",
        "a.content.strip() if a.content else ''",
        "a.content and a.content.strip()",
        "getattr(a, 'content', '').strip()",
        "a.content",
        "f'{a.content}'",
        "[a.content for _ in m if a.tool_calls]",
    ],
)
def test_guard_within_an_expression_is_quiet(use):
    assert not told(
        f"{OPENAI}def f(m):\n    a = {ASKED}, tools=[1]).choices[0].message\n    return {use}\n"
    )


@pytest.mark.parametrize(
    "guard",
    [
        "if not a.content:\n        return ''",
        "if a.tool_calls:\n        return m",
        "if c.finish_reason == 'tool_calls':\n        raise ValueError",
        "assert a.content is not None",
        "text = a.content\n    if text is None:\n        return ''",
        "if is_text(c):\n        pass\n    else:\n        return",
        "ok = bool(a.content)\n    if not ok:\n        return ''",
        "if a.content is None:\n        a = other(m)",
    ],
)
def test_guard_before_the_use_is_quiet(guard):
    text = f"{OPENAI}def f(m):\n    c = {ASKED}, tools=[1]).choices[0]\n    a = c.message\n"
    assert told(f"{text}    return a.content.strip()\n")
    assert not told(f"{text}    {guard}\n    return a.content.strip()\n")


def test_condition_about_something_else_is_no_guard():
    text = f"{OPENAI}def f(m):\n    a = {ASKED}, tools=[1])\n    if not a:\n        return ''\n"
    text += "    if not m:\n        return ''\n    return a.choices[0].message.content.strip()\n"
    assert told(text) == [(Level.FAILURE, 9)]


@pytest.mark.parametrize("caught", ["AttributeError", "Exception", "(KeyError, BaseException)"])
def test_handler_around_the_use_is_quiet(caught):
    text = (
        f"{OPENAI}def f(m):\n    try:\n        return {ASKED}).choices[0].message.content.strip()"
    )
    assert told(f"{text}\n    except (ValueError, TypeError):\n        return ''\n")
    assert not told(f"{text}\n    except {caught}:\n        return ''\n")


@pytest.mark.parametrize(
    "text",
    [
        f"{ANTHROPIC}def f(m):\n    return {CLAUDE}).content[0].text\n",
        f"{ANTHROPIC}def f(m):\n    a = {CLAUDE}, thinking={{'type': 'enabled'}})\n"
        "    return a.content[-1].text + a.content[1].text\n",
        f"{OPENAI}def f(m, o):\n    for c in {ASKED}, stream=True, **o):\n        c.choices[0]\n",
        f"{ANTHROPIC}def f(m):\n    a = {CLAUDE}, thinking={{'type': 'disabled'}})\n"
        "    return a.content[0].text\n",
        f"{ANTHROPIC}def f(m):\n    a = {CLAUDE}, tools=m)\n"
        "    return [b.text for b in a.content if b.type == 'text']\n",
        f"{ANTHROPIC}def f(m):\n    a = {CLAUDE}, tools=m)\n"
        "    return [b.text for b in a.content if hasattr(b, 'text')]\n",
        f"{ANTHROPIC}def f(m):\n    for e in {CLAUDE}, stream=True):\n        match e.type:\n"
        "            case 'content_block_delta':\n                print(e.delta.text)\n",
        f"{OPENAI}def f(m):\n    for c in {ASKED}, stream=True):\n        c.choices[0].delta\n",
        "from twilio.rest import Client\ndef f(client):\n"
        "    return client.messages.create(body='x').content[0].text\n",
        f"{OPENAI}def f(m, k):\n    a = {ASKED}, stream=k)\n"
        "    return a.choices[0].message.content.strip()\n",
        f"from zhipuai import ZhipuAI\nclient = ZhipuAI()\ndef f(m):\n    a = {ASKED}, tools=m)\n"
        "    return a.choices[0].message.content.strip()\n",
        f"{GEMINI}def f(said: types.Content):\n    return [p.text for p in said.parts]\n",
        "def f(:\n",
    ],
)
def test_answer_that_the_request_makes_whole_is_quiet(text):
    assert not told(text)


def test_parameter_is_quiet_where_the_caller_reads_the_part():
    text = f"{CHUNK}def f(chunk: ChatCompletionChunk):\n    return chunk.choices[0].delta\n"
    caller = "def g(stream):\n    return [f(c) for c in stream if c.choices]\n"
    assert told(text)
    assert not told(text + caller)


def test_finding_quotes_the_declaration_and_the_request():
    text = f"{OPENAI}def f(m):\n    a = {ASKED}, tools=[1]).choices[0].message\n"
    found = missing_parts(f"{text}    return a.content.strip()\n")[0]
    assert "`content: Optional[str]` (openai " in found.words[1]
    assert "The request in line 4 asks for that with `tools`." in found.words[1]
    assert found.evidence["request"] == 4
    assert found.evidence["exception"] == "AttributeError"


def test_identity_survives_shifts_of_lines():
    text = f"{GEMINI}def parse(a: types.GenerateContentResponse):\n    return a.text.strip()\n"
    read = READERS["missing-part"]
    assert [d.key for d in read(text)] == [d.key for d in read(f"x = 1\n\n{text}")]


def test_every_shape_and_request_is_declared():
    owned = [(owner, field) for owner, known in classes().items() for field in known]
    fields = {f"{name}.{field}" for owner, field in owned for name in (owner, short(owner))}
    assert {each for each in shapes() if "." in each} <= fields
    returned = {kind for each in requests() for kind in (each.returns, each.stream) if kind}
    returned |= {*results().values(), *(each.rpartition(".")[0] for each in results())}
    assert {kind for kind in returned if not named(kind)} == set()


def test_tables_are_what_the_sdks_declare():
    import botocore
    import openai

    folder = Path(openai.__file__).parents[1]
    known = {f"{n}: {d.declared}" for c, fs in classes().items() for n, d in fs.items()}
    for table in (
        declarations(folder, "openai"),
        service_declarations(Path(botocore.__file__).parents[1], "bedrock-runtime", *ANSWERS),
    ):
        described = table["classes"]
        assert isinstance(described, dict)
        assert {f"{n}: {d[0]}" for fs in described.values() for n, d in fs.items()} <= known


def test_values_are_followed_from_function_to_function():
    asking = f"{OPENAI}def ask(m):\n    return {ASKED}, tools=[1])\n"
    using = "def show(m):\n    return ask(m).choices[0].message.content.strip()\n"
    assert told(asking + using) == [(Level.FAILURE, 6)]
    parsing = "import re\ndef parse(text):\n    return re.search('a', text)\n"
    giving = "def show(m):\n    return parse(ask(m).choices[0].message.content)\n"
    assert told(asking + parsing + giving) == [(Level.FAILURE, 7)]
    assert not told(asking + parsing + giving.replace("content", "content or ''"))
    tested = "def show(m):\n    a = ask(m).choices[0].message\n"
    tested += "    return parse(a.content) if a.content else ''\n"
    assert not told(asking + parsing + tested)
    guarded = asking.replace("return ", "a = ").rstrip() + "\n    assert a.choices\n    return a\n"
    assert not told(guarded + using)


def test_one_request_is_told_once_in_a_file():
    text = f"{OPENAI}def parse(a):\n    return a.choices[0].message.content.strip()\n"
    asking = f"def f(m):\n    a = {ASKED})\n    b = parse(a)\n"
    assert len(told(f"{text}{asking}    return a.choices[0].message.content.strip()\n")) == 1


def test_line_whose_author_has_silenced_a_type_checker_is_quiet():
    text = f"{OPENAI}def f(m):\n    return {ASKED}).choices[0].message.content.strip()"
    assert told(text)
    assert not told(f"{text}  # type: ignore[union-attr]\n")


RAISING = "def f(m):\n    try:\n        return {ask}).choices[0].message.content.strip()\n"


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ("except Exception as e:\n        print(e)\n        raise\n", 1),
        ("except Exception as e:\n        if 'limit' in str(e):\n            raise OSError(e)\n"
         "        raise e\n", 1),
        ("except KeyError:\n        return ''\n", 1),
        ("except Exception as e:\n        raise OSError('no answer') from e\n", 0),
        ("except Exception:\n        if m:\n            return ''\n        raise\n", 0),
    ],
)  # fmt: skip
def test_handler_counts_where_it_keeps_the_exception(handler, expected):
    text = f"{OPENAI}{RAISING.format(ask=ASKED)}    {handler}"
    assert len(told(text)) == expected


STREAM = (
    f"{OPENAI}def f(m):\n    try:\n"
    f"        for c in {ASKED}, stream=True, stream_options={{{{'include_usage': True}}}}):\n"
    "{body}    except Exception as e:\n        print(e)\n"
)


def test_handler_around_a_whole_stream_does_not_excuse_what_every_stream_has():
    assert told(STREAM.format(body="            print(c.choices[0].delta)\n")) == [
        (Level.WARNING, 6)
    ]
    each = "            try:\n                print(c.choices[0].delta)\n"
    each += "            except Exception:\n                continue\n"
    assert not told(STREAM.format(body=each))
    guarded = "            if c.choices:\n                print(c.choices[0].delta)\n"
    assert not told(STREAM.format(body=guarded))
    assert not told(STREAM.replace("Exception", "IndexError").format(
        body="            print(c.choices[0].delta)\n"))  # fmt: skip


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("a.candidates", 1),
        ("len(a.candidates) > 0", 1),
        ("a.candidates is not None and a.candidates[0]", 1),
        ("hasattr(a, 'candidates')", 1),
        ("a.candidates and a.candidates[0].content", 0),
        ("a.candidates and a.candidates[0].finish_reason == 'STOP'", 0),
        ("a.text", 0),
    ],
)
def test_condition_about_what_is_around_a_part_is_no_guard_of_it(test, expected):
    use = "return a.candidates[0].content.parts"
    text = f"{GEMINI}def parse(a: types.GenerateContentResponse):\n    if {test}:\n        {use}\n"
    assert len(told(text)) == expected


def test_element_is_not_known_by_that_the_list_has_one():
    text = f"{ANTHROPIC}def f(m, more):\n    a = {CLAUDE}, tools=more)\n"
    assert told(f"{text}    return a.content[0].text if a.content else ''\n")
    assert not told(f"{text}    return a.content[0].text if a.content[0].type == 'text' else ''\n")


def test_chunk_is_known_by_its_use():
    text = f"{OPENAI}def parse(answer):\n    first = next(answer)\n"
    added = "    said = first.choices[0].delta.content\n    for c in answer:\n        said += 'a'\n"
    assert told(text + added) == [(Level.WARNING, 7)]
    usage = "OPTIONS = {'include_usage': True}\n"
    looped = "    for c in answer:\n        print(c.choices[0].delta.role)\n"
    assert told(usage + text + looped) == [(Level.WARNING, 7)]
    assert not told(text + looped)
    for other in ("together", "litellm"):
        assert not told(f"import {other}\n{usage}{text}{looped}")
    drawn = "def f(answer):\n    c = answer.__next__()\n"
    drawn += "    return 'a' + (c.choices[0].delta.content if c.choices[0].delta else '')\n"
    assert told(OPENAI + drawn) == [(Level.WARNING, 5)]
    assert not told((OPENAI + drawn).replace("delta else", "delta.content else"))
    taken = "    for c in answer:\n        one = c.choices[0]\n        print(one.delta.role)\n"
    assert told(usage + text + taken) == [(Level.WARNING, 7)]


CONVERSE = "client.converse({model}messages=m)\n    return a['output']['message']['content'][0]"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("modelId=model, ", 1),
        ("modelId=m.pop(), ", 1),
        ("modelId='anthropic.claude-3-haiku', ", 0),
        ("modelId=NAME, ", 0),
        ("modelId=os.environ.get('MODEL', 'amazon.nova-lite-v1:0'), ", 0),
    ],
)
def test_reasoning_comes_first_where_the_model_is_open(model, expected):
    asked = CONVERSE.format(model=model)
    text = f"{BEDROCK}import os\nNAME = 'meta.llama3'\ndef f(m, model):\n    a = {asked}['text']\n"
    assert [level for level, _ in told(text)] == [Level.WARNING] * expected


TOOLS = f"{OPENAI}import json\ndef f(m):\n    a = {ASKED}, tools=TOOLS).choices[0].message\n"


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("return [json.loads(c.function.arguments) for c in a.tool_calls or []]", 1),
        ("for c in a.tool_calls or []:\n        json.loads(c.function.arguments or '{}')", 1),
        ("for c in a.tool_calls or []:\n        if c.function.arguments:\n            "
         "print(json.loads(c.function.arguments))", 1),
        ("try:\n        return [json.loads(c.function.arguments) for c in a.tool_calls]\n"
         "    except ValueError:\n        return []", 0),
        ("return [c.function.arguments for c in a.tool_calls or []]", 0),
        ("if not getattr(a, 'tool_calls', None):\n        return\n"
         "    return json.loads(a.tool_calls[0].function.arguments)", 1),
    ],
)  # fmt: skip
def test_arguments_of_a_tool_may_be_no_json(use, expected):
    found = [d for d in missing_parts(f"{TOOLS}    {use}\n") if "JSON" in d.words[0]]
    assert len(found) == expected
    strict = TOOLS.replace("tools=TOOLS", "tools=[{'strict': True}]")
    assert not [d for d in missing_parts(f"{strict}    {use}\n") if "JSON" in d.words[0]]


def test_function_that_says_that_it_takes_an_answer_is_told():
    using = "(content: types.Content):\n    return [part.text for part in content.parts]\n"
    assert told(f"{GEMINI}def from_response{using}")
    assert not told(f"{GEMINI}def history{using}")
    documented = using.replace("\n    return", "\n    'Read a reply of the model.'\n    return")
    assert told(f"{GEMINI}def convert{documented}")


STREAMED = """
import os
from openai import AsyncOpenAI, AzureOpenAI, OpenAI
URL = os.environ["URL"]
client = {client}
def f(m):
    for chunk in client.chat.completions.create(model="m", messages=m, stream=True):
        print(chunk.choices[0].delta.role)
"""


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("AzureOpenAI()", 1),
        ("AzureOpenAI() if URL else OpenAI()", 1),
        ("OpenAI(base_url='https://openrouter.ai/api/v1')", 1),
        ("AsyncOpenAI(base_url='https://me.openai.azure.com/openai/v1/')", 1),
        ("OpenAI(base_url=URL)", 1),
        ("OpenAI(base_url=os.getenv('URL', 'https://api.openai.com/v1'))", 1),
        ("OpenAI()", 0),
        ("OpenAI(base_url='https://api.openai.com/v1')", 0),
        ("OpenAI(base_url='https://api.groq.com/openai/v1')", 0),
        ("OpenAI(base_url=os.getenv('URL', 'https://api.deepseek.com'))", 0),
        ("OpenAI()\ndef g():\n    client = AzureOpenAI()\n    return client.models.list()", 1),
    ],
)
def test_server_may_send_a_chunk_without_choices_unasked(client, expected):
    text = STREAMED.format(client=client)
    assert [level for level, _ in told(text)] == [Level.WARNING] * expected
    guarded = "        if chunk.choices:\n            print(chunk.choices[0].delta.role)"
    assert not told(text.replace("        print(chunk.choices[0].delta.role)", guarded))


OLD = "import google.generativeai as genai\nmodel = genai.GenerativeModel('m')\n"
VERTEX = "from vertexai.generative_models import GenerativeModel\nmodel = GenerativeModel('m')\n"
CHAT = "    chat = model.start_chat()\n"


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        (f"{OLD}def f(q):\n    r = model.generate_content(q)\n    return r.text\n",
         "return r.text if r.candidates else ''"),
        (f"{OLD}def f(q):\n    r = model.generate_content(q, stream=True)\n    for c in r:\n"
         "        return c.text\n", "return c.text if c.candidates else ''"),
        (f"{OLD}async def f(q):\n{CHAT}    await chat.send_message_async(q)\n"
         "    return chat.last.text\n", "return chat.last.candidates and chat.last.text"),
        (f"{OLD}class A:\n    def __init__(self):\n        self.chat = model.start_chat()\n"
         "    def f(self, q):\n        return self.chat.send_message(q).text\n",
         "return self.chat.history"),
        (f"{OLD}def f(q):\n    r = model.generate_content(q)\n    return r.candidates[0]\n",
         "return r.candidates and r.candidates[0]"),
        (f"{VERTEX}def f(q):\n    r = model.generate_content([q])\n    return r.text\n",
         "return r.text if r.candidates else ''"),
        (f"{VERTEX}def f(q):\n    for c in {'model.generate_content(q, stream=True)'}:\n"
         "        return c.text\n", "return c.candidates and c.text"),
        (f"{GEMINI}def f(q):\n    chat = client.chats.create(model='m')\n"
         "    return chat.send_message(q).text.strip()\n",
         "return (chat.send_message(q).text or '').strip()"),
    ],
)  # fmt: skip
def test_text_of_a_blocked_answer_is_told(text, guarded):
    assert [level for level, _ in told(text)] == [Level.WARNING]
    *lines, last = text.splitlines()
    indent = last[: len(last) - len(last.lstrip())]
    quiet = "\n".join([*lines, indent + guarded])
    assert not told(quiet)
    handled = [*lines, f"{indent}try:", f"    {last}", f"{indent}except (ValueError, Exception):"]
    assert not told("\n".join([*handled, f"{indent}    return ''\n"]))


def test_chat_of_another_library_is_quiet():
    text = "from vertexai.preview.language_models import ChatModel\ndef f(q, model):\n"
    assert not told(f"{text}{CHAT}    return chat.send_message(q).text\n")


def test_kind_of_crash_is_told_once_a_function():
    text = f"{OLD}def f(q):\n    a = model.generate_content(q)\n    b = model.generate_content(q)\n"
    assert len(told(f"{text}    return a.text + b.text\n")) == 1


def test_constant_prompt_is_not_blocked():
    text = f"{OLD}def f(q):\n    return model.generate_content(q).text\n"
    assert told(text)
    assert not told(text.replace("(q).", "('Write a poem.')."))


@pytest.mark.parametrize(
    ("model", "levels"),
    [("'o3-mini'", [Level.FAILURE]), ("'gpt-5'", [Level.FAILURE]), ("'gpt-4o'", []), ("q", [])],
)
def test_first_item_of_a_reasoning_model_is_no_message(model, levels):
    text = f"{OPENAI}def f(q):\n    r = client.responses.create(model={model}, input=q)\n"
    use = "    return r.output[0].content[0].text\n"
    assert [level for level, _ in told(text + use)] == levels
    assert not told(f"{text}    return r.output_text\n")


EVENTS = f"{BEDROCK}def f(m):\n    r = client.converse_stream(modelId='m', messages=m)\n"
AZURE = "from azure.ai.inference import ChatCompletionsClient\ndef f(m, client):\n"


@pytest.mark.parametrize(
    ("text", "use", "guarded", "level"),
    [
        (EVENTS, "for e in r['stream']:\n        print(e['contentBlockDelta']['delta'])",
         "for e in r['stream']:\n        if 'contentBlockDelta' in e:\n"
         "            print(e['contentBlockDelta']['delta'])", Level.FAILURE),
        (AZURE, "for c in client.complete(messages=m, stream=True):\n        print(c.choices[0])",
         "for c in client.complete(messages=m, stream=True):\n"
         "        print(c.choices and c.choices[0])", Level.WARNING),
        (f"{OPENAI}def f(m, S):\n    r = client.responses.parse(model='m', input=m)\n",
         "return r.output_parsed.items", "return r.output_parsed and r.output_parsed.items",
         Level.WARNING),
        (f"{ANTHROPIC}def f(m):\n    with client.messages.stream(model='m', max_tokens=9,"
         " messages=m, tools=[1]) as s:\n        r = s.get_final_message()\n",
         "return r.content[0].text", "return r.content[0].type == 'text' and r.content[0].text",
         Level.FAILURE),
    ],
)  # fmt: skip
def test_parts_of_streams_are_told(text, use, guarded, level):
    assert [each for each, _ in told(f"{text}    {use}\n")] == [level]
    assert not told(f"{text}    {guarded}\n")
