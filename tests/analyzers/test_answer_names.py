"""Attributes, keys and values that no answer of a language model has."""

import pytest

from analyzers.source_checks.answer_names import unknown_names
from analyzers.vocabulary import Level

OPENAI = "from openai import OpenAI\nclient = OpenAI()\ndef f(m):\n    a = client.chat.completions."
ASKED = f"{OPENAI}create(model='m', messages=m)\n"
STREAM = f"{OPENAI}create(model='m', messages=m, stream=True)\n"
CLAUDE = (
    "import anthropic\nclient = anthropic.Anthropic()\ndef f(m):\n"
    "    a = client.messages.create(model='m', max_tokens=9, messages=m)\n"
)
GEMINI = (
    "from google import genai\nfrom google.genai import types\nclient = genai.Client()\n"
    "def f(m):\n    a = client.models.generate_content(model='m', contents=m)\n"
)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (f"{ASKED}    return a.choices[0].delta.content\n", Level.FAILURE),
        (f"{ASKED}    return a.choices.message\n", Level.FAILURE),
        (f"{ASKED}    return a.choises[0]\n", Level.FAILURE),
        (f"{ASKED.replace('import OpenAI', 'import Groq, OpenAI')}    return a['choices']\n",
         Level.FAILURE),
        (f"{STREAM}    return [c.choices[0].message for c in a]\n", Level.FAILURE),
        (f"{CLAUDE}    return a.content.text\n", Level.FAILURE),
        (f"{CLAUDE}    return a.stop_reason == 'length'\n", Level.WARNING),
        (f"{ASKED}    return a.choices[0].finish_reason == 'max_tokens'\n", Level.WARNING),
        (f"{GEMINI}    return a.candidates[0].finish_reason == 'stop'\n", Level.WARNING),
        (f"{GEMINI}    return types.HarmCategory.HATE_SPEECH\n", Level.FAILURE),
        (f"{GEMINI}    return types.HarmBlockThreshold.NONE\n", Level.FAILURE),
    ],
)  # fmt: skip
def test_name_that_no_answer_has_is_told(text, level):
    assert [each.level for each in unknown_names(text)] == [level]


def test_client_of_the_package_answers_with_no_dictionary():
    code = ASKED.replace("from openai import OpenAI", "import openai")
    asked = code.replace("OpenAI()", "openai.AzureOpenAI()")
    assert [each.level for each in unknown_names(f"{asked}    return a['choices']\n")] == [
        Level.FAILURE
    ]
    other = code.replace("OpenAI()", "openai.wrapped()")
    assert not unknown_names(f"{other}    return a['choices']\n")


@pytest.mark.parametrize(
    "text",
    [
        f"{ASKED}    return a.choices[0].message.content\n",
        f"{ASKED}    return a.choices[0].message.reasoning_content\n",
        f"{ASKED}    return a.choices[0].message.model_dump(), a.to_dict(), a.choices.index(m)\n",
        f"{ASKED}    return a.choices[0].delta if hasattr(a.choices[0], 'delta') else None\n",
        f"{ASKED}    try:\n        a.choises\n    except AttributeError:\n        pass\n",
        f"{ASKED}    return a.choices[0].finish_reason == 'eos'\n",
        f"{STREAM}    return [c.choices[0].delta for c in a]\n",
        f"{CLAUDE}    return a.stop_reason == 'end_turn'\n",
        f"{GEMINI}    return a.candidates[0].finish_reason == 'STOP'\n",
        f"{GEMINI}    return types.HarmCategory.NEW\n",
        "import litellm\ndef f(m):\n    return litellm.completion(messages=m)['choices']\n",
    ],
)
def test_name_that_an_answer_may_have_is_quiet(text):
    assert unknown_names(text) == ()
