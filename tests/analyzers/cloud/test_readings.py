"""Findings in the text of a target alone: words, fields, variables, unguarded parsers."""

import importlib
import re
import textwrap
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.version import Version

from analyzers import catalogue
from analyzers.catalogue import asks_cloud
from analyzers.cloud.cloud_analyzer import read_text
from analyzers.criteria import is_written
from analyzers.detection import detect
from analyzers.source_checks import read_changes
from analyzers.vocabulary import ChangeSet, FileChange
from tests.analyzers.benches import TextBench
from worker.check.check_plan import asked_answers


def read(code, documents=(), **files):
    texts = {"app.py": textwrap.dedent(code), **{f"{n}.py": t for n, t in files.items()}}
    documents = dict(documents)
    changes = tuple(FileChange(path, frozenset(range(1, 99))) for path in texts)
    changed = ChangeSet("here", "b" * 40, None, changes, texts, {})
    found = detect(changed, catalogue.load_catalogue(), everything=True)
    bench = TextBench({**documents, **texts})
    asking = [target for target in found.targets if asks_cloud(target)]
    findings = [f for t in asking for f in read_text(t, bench)]
    told = read_changes(changed, {}, texts, answers=asked_answers(asking)) if asking else ()
    findings += [each for each in told if each.rule == "code/error"]
    assert all(is_written(f.criterion, texts[f.path]) for f in findings)
    return [(f.rule, f.line, f.evidence.get("misuse", "")) for f in findings]


LABELS = """
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    def f(image):
        response = client.label_detection(image=image)
        for label in response.label_annotations:
            if {condition}:
                return label.score
"""


@pytest.mark.parametrize(
    "condition",
    [
        'label.description == "Plastic Bottle"',
        '"plastic bottle" == label.description',
        'label.description in ("Dog", "sunglasses")',
        'label.description == "Sunglases"',
        'label.score > 0.5 and label.description != "dog"',
    ],
)
def test_word_that_the_api_spells_otherwise_is_read(condition):
    assert read(LABELS.format(condition=condition)) == [("cloud/unknown-label", 7, "")]


@pytest.mark.parametrize(
    "condition",
    [
        'label.description == "Plastic bottle"',
        'label.description.lower() == "dog"',
        'label.description in ("dog", "Dog")',
        '"ottle" in label.description',
        'label.mid == "dog"',
        'label.description == "Gadgetry of mine"',
        'label.description == "Packaged goods"',
    ],
)
def test_word_that_may_be_answered_is_left_alone(condition):
    assert read(LABELS.format(condition=condition)) == []


SENTIMENT = """
    import boto3
    client = boto3.client("comprehend")
    def f(text):
        answer = client.detect_sentiment(Text=text, LanguageCode="en")
        mood = {taken}
        if mood == "{word}":
            return "happy"
        return "unhappy"
"""


@pytest.mark.parametrize("word", ["Positive", "POSITVE"])
def test_class_in_another_spelling_is_read(word):
    code = SENTIMENT.format(taken='answer["Sentiment"]', word=word)
    assert read(code) == [("cloud/unknown-label", 7, "")]


@pytest.mark.parametrize(
    ("taken", "word"),
    [
        ('answer["Sentiment"]', "POSITIVE"),
        ('answer["Sentiment"].title()', "Positive"),
        ('answer["Sentiment"]', "ANGRY"),
    ],
)
def test_class_that_may_be_meant_is_left_alone(taken, word):
    assert read(SENTIMENT.format(taken=taken, word=word)) == []


@pytest.mark.parametrize(
    "taken",
    [
        'answer["sentiment"]',
        'answer.get("Sentimant")',
        'answer["SentimentScore"]["positive"]',
        'answer["SentimentScores"]',
    ],
)
def test_key_that_no_answer_has_is_read(taken):
    code = SENTIMENT.format(taken=taken, word="x")
    assert read(code) == [("cloud/misuse", 6, "unknown-field")]


@pytest.mark.parametrize(
    "taken",
    [
        'answer["SentimentScore"]["Positive"]',
        'answer["ResponseMetadata"]["HTTPStatusCode"]',
        'dict(answer)["sentiment"]',
        'answer.get("Overall", "x")',
    ],
)
def test_key_that_an_answer_may_have_is_left_alone(taken):
    assert read(SENTIMENT.format(taken=taken, word="x")) == []


FIELDS = """
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    async def f(image):
        response = {request}
        return {taken}
"""


@pytest.mark.parametrize(
    "taken",
    [
        "response.label_annotation",
        "response.labelAnnotations",
        "response.label_annotations[0].descripton",
        "[label.descrption for label in response.label_annotations]",
    ],
)
@pytest.mark.parametrize(
    "request_", ["client.label_detection(image=image)", "await client.label_detection(image=image)"]
)
def test_field_that_no_message_has_is_read(taken, request_):
    code = FIELDS.format(taken=taken, request=request_)
    assert read(code) == [("cloud/misuse", 6, "unknown-field")]


@pytest.mark.parametrize(
    "taken",
    [
        "[label.description for label in response.label_annotations]",
        "response._pb",
        "vision.AnnotateImageResponse.to_dict(response)",
        "response.error.message",
        "response.label_annotations.sort()",
    ],
)
def test_field_that_a_message_has_is_left_alone(taken):
    code = FIELDS.format(taken=taken, request="client.label_detection(image=image)")
    assert read(code) == []


CHAT = """
    import json
    from openai import OpenAI
    client = OpenAI()
    def f(text):
        reply = client.chat.completions.create(model="m", messages=[{{"content": text}}]{more})
        content = reply.choices[0].message.content
        {parsed}
"""


@pytest.mark.parametrize(
    "parsed",
    [
        "return json.loads(content)",
        "return json.loads(reply.choices[0].message.content.strip())",
        "return int(content)",
        "return eval(content)",
    ],
)
def test_parser_of_a_models_text_without_a_guard_is_read(parsed):
    assert read(CHAT.format(parsed=parsed, more="")) == [("cloud/crash", 8, "")]


@pytest.mark.parametrize(
    ("parsed", "more"),
    [
        ("return json.loads(content)", ', response_format={"type": "json_object"}'),
        ("return json.loads(content)", ", tools=[]"),
        ("return json.loads(content)", ", **json.loads(text)"),
        ("return json.loads(content[content.find('{'):])", ""),
        ("return json.loads(text)", ""),
        ("try: return json.loads(content)\n        except ValueError: return {}", ""),
    ],
)
def test_guarded_or_formatted_text_is_left_alone(parsed, more):
    assert read(CHAT.format(parsed=parsed, more=more)) == []


CLAUDE = """
    import json
    from anthropic import Anthropic
    def f(text):
        message = Anthropic().messages.create(
            model="m", max_tokens=9, messages=[{{"role": "user", "content": text}}{more}]
        )
        {parsed}
"""


def test_parser_of_a_blocks_text_is_read():
    parsed = "return json.loads(message.content[0].text)"
    assert read(CLAUDE.format(parsed=parsed, more="")) == [("cloud/crash", 8, "")]


@pytest.mark.parametrize(
    ("parsed", "more"),
    [
        ("return json.loads('{{' + message.content[0].text)", ""),
        ("return message.content[0].input", ""),
        ("return [block.name for block in message.content]", ""),
        (
            "return json.loads(message.content[0].text)",
            ', {"role": "assistant", "content": "["}',
        ),
        ("return json.loads(message.content[0].text)", "], output_config={}, tools=["),
    ],
)
def test_text_that_the_request_begins_or_forms_is_left_alone(parsed, more):
    assert read(CLAUDE.format(parsed=parsed, more=more)) == []


GEMINI = """
    import json, requests
    from google import genai
    client = genai.Client()
    def f(text):
        reply = client.models.generate_content(model="m", contents=text{more})
        {parsed}
"""


@pytest.mark.parametrize("parsed", ["json.loads(reply.text)", "int(reply.text.strip())"])
def test_parser_of_the_text_of_a_response_is_read(parsed):
    assert read(GEMINI.format(parsed=parsed, more="")) == [("cloud/crash", 7, "")]


@pytest.mark.parametrize(
    ("parsed", "more"),
    [
        ("json.loads(reply.text)", ", config={}"),
        ("json.loads(requests.get(text).text)", ""),
        ("reply = requests.get(text)\n        json.loads(reply.text)", ""),
        ("try: json.loads(reply.text)\n        except ValueError: pass", ""),
        ("return reply.usage_metadata, reply.candidates[0].content.parts[0].text", ""),
    ],
)
def test_other_text_is_left_alone(parsed, more):
    assert read(GEMINI.format(parsed=parsed, more=more)) == []


BEDROCK = """
    import boto3, json
    def f(text):
        reply = boto3.client("bedrock-runtime").converse(modelId="m", messages=[text]{more})
        print(reply["usage"]["inputTokens"], reply["output"]["message"]["role"])
        return json.loads(reply["output"]["message"]["content"][0]["text"])
"""


def test_parser_of_the_text_of_a_conversation_is_read():
    assert read(BEDROCK.format(more="")) == [("cloud/crash", 6, "")]
    assert read(BEDROCK.format(more=", toolConfig={}")) == []


POSTED = """
    import json, requests
    def f(text):
        url = "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"
        reply = requests.post(url, json={"contents": [{"parts": [{"text": text}]}]})
        said = json.loads(reply.text)
        print(said["usageMetadata"], reply.json().get("candidates"))
        return said["candidates"][0]["content"]["parts"][0]["text"]
"""


def test_body_of_a_response_is_no_text_of_a_model():
    assert read(POSTED) == []


def test_condition_that_an_earlier_one_swallows_is_read():
    code = """
        from google.cloud import vision
        client = vision.ImageAnnotatorClient()
        def f(image):
            text = client.text_detection(image=image).text_annotations[0].description
            if "MALE" in text:
                return 1
            elif "FEMALE" in text:
                return 2
    """
    assert ("cloud/dead-branch", 8, "") in read(code)
    assert ("cloud/dead-branch", 8, "") not in read(code.replace('"MALE"', '"BOY"'))


ELEMENT = """
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    def f(image):
        response = client.text_detection(image=image)
        texts = response.text_annotations
        {taken}
"""


@pytest.mark.parametrize(
    "taken",
    [
        "return texts[0].description",
        "return texts[-1].description",
        "return response.text_annotations[0].description",
        "return [word for word in texts[0].description.split()]",
        "if response.error.message: raise ValueError\n        return texts[0].description",
    ],
)
def test_element_of_a_list_that_may_be_empty_is_read(taken):
    ((rule, _, _),) = read(ELEMENT.format(taken=taken))
    assert rule == "cloud/crash"


@pytest.mark.parametrize(
    "taken",
    [
        "return texts[0].description if texts else ''",
        "if not texts: return ''\n        return texts[0].description",
        "if len(response.text_annotations) > 0: return texts[0].description",
        "return texts and texts[0].description",
        "for text in texts: return texts[0].description",
        "try: return texts[0].description\n        except IndexError: return ''",
        "return texts[1:]",
        "return response.full_text_annotation.text[0]",
        "return client.text_detection(image=image).full_text_annotation.pages",
    ],
)
def test_element_that_something_guards_is_left_alone(taken):
    assert read(ELEMENT.format(taken=taken)) == []


def test_lists_that_are_never_empty_are_left_alone():
    parsed = "return reply.choices[0].message.content"
    assert read(CHAT.format(parsed=parsed, more="")) == []


RETRY = """
    import time
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    def f(image):
        attempts = 0
        {loop}:
            try:
                labels = client.label_detection(image=image).label_annotations
                {success}
            except {caught}:
                {failure}
"""
ENDLESS = {"loop": "while True", "success": "return labels", "caught": "Exception"}


@pytest.mark.parametrize(
    "changed", [{}, {"loop": "while 1"}, {"success": "break"}, {"caught": "(ValueError, KeyError)"}]
)
@pytest.mark.parametrize("failure", ["time.sleep(1)", "continue"])
def test_request_that_is_repeated_without_end_is_read(changed, failure):
    code = RETRY.format(**{**ENDLESS, **changed, "failure": failure})
    assert read(code) == [("cloud/misuse", 7, "endless-retry")]


HANDLED = """
    import openai
    client = openai.OpenAI()
    def ask(text):
        return client.chat.completions.create(model="m", messages=[{"content": text}])
    def a(text):
        try:
            return client.chat.completions.create(model="m", messages=[{"content": "a" + text}])
        except openai.RateLimitError:
            return None
    def b(text):
        try:
            return client.chat.completions.create(model="m", messages=[{"content": "b" + text}])
        except (openai.APIError, ValueError):
            return None
"""


def test_request_that_alone_has_no_handler_is_read():
    assert read(HANDLED) == [("cloud/misuse", 5, "unhandled-error")]


ALONE = """
    import openai
    client = openai.OpenAI()
    def ask(text):
        return client.chat.completions.create(model="m", messages=[{"content": text}])
"""
SIBLING = """import openai
class {name}:
    def ask(self, text):
        try:
            return self.client.chat.completions.create(model="m", messages=[{{"content": text}}])
        except {caught}:
            return None
"""


@pytest.mark.parametrize(
    ("names", "caught", "kinds"),
    [("ABC", "openai.APIError", ["unhandled-error"]), ("AB", "openai.APIError", []),
     ("ABC", "KeyError", [])],
)  # fmt: skip
def test_request_that_alone_in_its_project_has_no_handler_is_read(names, caught, kinds):
    files = {f"file_{name}": SIBLING.format(name=name, caught=caught) for name in names}
    assert [kind for _, _, kind in read(ALONE, **files)] == kinds


TRIED = """
    def c(text):
        try:
            return ask(text)
        except Exception:
            return None
    def a(text):"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("except (openai.APIError, ValueError)", "except ValueError"),
        ("def ask(text)", "def retry(f): return f\n    @retry\n    def ask(text)"),
        ("def a(text):", TRIED.strip()),
    ],
)
def test_request_that_something_handles_is_left_alone(old, new):
    assert old in HANDLED
    assert read(HANDLED.replace(old, new)) == []


UNREAD = """
    import json
    from openai import OpenAI
    def f(text):
        client = OpenAI()
        {loop}:
            answer = client.chat.completions.create(model="m", messages=[{{"content": text}}])
            try:
                return json.loads(answer.choices[0].message.content)
            except json.JSONDecodeError:
                {failure}
"""


def test_request_that_is_repeated_until_its_answer_can_be_read_is_read():
    code = UNREAD.format(loop="while True", failure="continue")
    assert read(code) == [("cloud/misuse", 6, "endless-retry")]
    assert read(UNREAD.format(loop="for _ in range(3)", failure="continue")) == []
    assert read(UNREAD.format(loop="while True", failure="raise")) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"failure": "raise"},
        {"failure": "if attempts > 3: raise\n                attempts += 1"},
        {"loop": "while attempts < 3"},
        {"loop": "for attempts in range(3)"},
        {"success": "print(labels)"},
        {"caught": "ConnectionError"},
    ],
)
def test_loop_that_ends_or_serves_is_left_alone(changed):
    assert read(RETRY.format(**{**ENDLESS, "failure": "time.sleep(1)", **changed})) == []


def test_field_of_another_version_of_the_api_is_left_alone():
    code = """
        from google.cloud import language_v2
        client = language_v2.LanguageServiceClient()
        def f(text):
            response = client.analyze_sentiment(request={"document": {"content": text}})
            return response.language_code, response.languageCode
    """
    assert read(code) == [("cloud/misuse", 6, "unknown-field")]
    assert read(code.replace(", response.languageCode", "")) == []


OLD_VISION = """
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    def f(content):
        image = vision.types.Image(content=content)
        return client.label_detection(image=image)
"""


@pytest.mark.parametrize(
    ("path", "declared"),
    [
        ("requirements.txt", "flask==1.0\ngoogle-cloud-vision\n"),
        ("back/requirements.txt", "google_cloud_vision>=1.0  # all\n"),
        ("README.md", "Run `pip install --upgrade google-cloud-vision`."),
        ("pyproject.toml", '[tool.poetry.dependencies]\ngoogle-cloud-vision = "*"\n'),
        ("setup.py", 'setup(install_requires=["google-cloud-vision>=0.36", "six"])'),
        ("Pipfile", '[packages]\ngoogle-cloud-vision = ">=1.0"\n'),
    ],
)
def test_name_that_an_allowed_version_lacks_is_read(path, declared):
    assert read(OLD_VISION, {path: declared}) == [("cloud/misuse", 5, "removed-name")]


@pytest.mark.parametrize(
    ("path", "declared"),
    [
        ("requirements.txt", "google-cloud-vision==1.0.0\n"),
        ("requirements.txt", "google-cloud-vision>=0.3,<2\n"),
        ("requirements.txt", "google-cloud-vision~=1.0\n"),
        ("requirements.txt", "google-cloud-vision-extras\n"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ngoogle-cloud-vision = "^1.0"\n'),
        ("poetry.lock", 'name = "google-cloud-vision"\nversion = "1.0.0"\n'),
        ("Pipfile.lock", '"google-cloud-vision": {"hashes": [],\n "version": "==1.0.0"}'),
        ("README.md", "This uses google-cloud-vision."),
    ],
)
def test_name_that_no_declared_version_lacks_is_left_alone(path, declared):
    assert read(OLD_VISION, {path: declared}) == []


def test_pin_weighs_more_than_a_document():
    declared = {
        "README.md": "pip install --upgrade google-cloud-vision",
        "requirements.txt": "google-cloud-vision==0.39.0",
    }
    assert read(OLD_VISION, declared) == []


@pytest.mark.parametrize(
    ("imported", "kinds"),
    [
        ("from google.cloud.language import enums, types", ["removed-name"]),
        ("from google.cloud.language.types import Document", ["removed-name"]),
        ("import google.cloud.language.enums", ["removed-name"]),
        ("from google.cloud.language_v1 import enums", ["removed-name"]),
        ("from google.cloud.language_v1 import types", []),
        (
            "try:\n    from google.cloud.language import enums\nexcept ImportError:\n    enums = 0",
            [],
        ),
    ],
)
def test_imports_of_removed_modules_are_read(imported, kinds):
    code = (
        f"{imported}\nfrom google.cloud import language\n"
        "client = language.LanguageServiceClient()\n"
        "def f(document):\n    return client.analyze_sentiment(document=document)\n"
    )
    found = read(code, {"requirements.txt": "google-cloud-language\n"})
    assert [kind for _, _, kind in found] == kinds


def test_removed_names_are_missing_in_the_installed_sdk():
    removed = [each for each in catalogue.load_catalogue().removed if not each.positional]
    there = [each for each in removed if find_spec(each.module)]
    assert len({each.package for each in there}) >= 3
    for removed in there:
        module = importlib.import_module(removed.module)
        assert Version(version(removed.package)) >= Version(removed.version)
        for name in removed.names:
            gone = getattr(module, name, None)
            assert gone is None or "Removed" in type(gone).__name__ or removed.package == "openai"


def test_functions_take_keywords_alone_in_the_installed_sdk():
    spec = find_spec("google.genai.types")
    text = Path(spec.origin).read_text("utf-8")
    for each in catalogue.load_catalogue().removed:
        for name in each.names if each.positional else ():
            assert re.search(rf"def {name}\(\s*cls,\s*\*,", text), name


@pytest.mark.parametrize(
    ("argument", "declared", "kinds"),
    [
        ("text", "google-genai\n", ["removed-name"]),
        ("text", "google-genai>=1.2\n", ["removed-name"]),
        ("text=text", "google-genai\n", []),
        ("text", "google-genai==0.6.0\n", []),
    ],
)
def test_keyword_that_is_given_by_position_is_read(argument, declared, kinds):
    code = f"""
        from google import genai
        from google.genai import types
        client = genai.Client()
        def f(text):
            parts = [types.Part.from_text({argument})]
            return client.models.generate_content(model="m", contents=parts)
    """
    assert [kind for _, _, kind in read(code, {"requirements.txt": declared})] == kinds


ENTITIES = """
    from google.cloud import language_v1
    client = language_v1.LanguageServiceClient()
    def f(document):
        response = client.analyze_syntax(request={{"document": document}})
        for sentence in response.sentences:
            print(sentence.{field})
"""


def test_field_of_another_message_is_read():
    assert read(ENTITIES.format(field="part_of_speech")) == [("cloud/misuse", 7, "unknown-field")]


@pytest.mark.parametrize("field", ["text", "sentiment", "something", "to_json()"])
def test_field_of_no_message_is_left_alone(field):
    assert read(ENTITIES.format(field=field)) == []


LETTERS = """
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    def f(image):
        out = {first}
        for label in client.label_detection(image=image).label_annotations:
            out += {added}
        return out
"""


@pytest.mark.parametrize("added", ['"Label: " + label.description', 'f"Label {label.score}"'])
def test_text_added_to_a_list_is_read(added):
    found = read(LETTERS.format(first="[]", added=added))
    assert found == [("cloud/misuse", 7, "letters-in-list")]


@pytest.mark.parametrize(
    ("first", "added"),
    [
        ('""', '"Label: " + label.description'),
        ("[]", "[label.description]"),
        ("[]", "label.description"),
        ("[]", '"ab"'),
    ],
)
def test_list_or_text_that_grows_as_it_should_is_left_alone(first, added):
    assert read(LETTERS.format(first=first, added=added)) == []


VIEW = """
    from flask import Flask, abort, request
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    app = Flask(__name__)
    @app.route("/", methods=["GET", "POST"])
    def view():
        labels = client.label_detection(image=request.data).label_annotations
        {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        'if labels:\n            return "yes"\n        else:\n            print("no")',
        'if labels:\n            return "yes"',
        "try:\n            return labels[0].description\n        except IndexError:\n"
        '            print("none")',
    ],
)
def test_view_that_may_return_nothing_is_read(body):
    assert [rule for rule, _, _ in read(VIEW.format(body=body))] == ["code/error"]


@pytest.mark.parametrize(
    "body",
    [
        'return "yes" if labels else "no"',
        'if labels:\n            return "yes"\n        else:\n            abort(404)',
        'if request.method == "POST":\n            return "yes"',
        'while True:\n            if labels:\n                return "yes"',
        "print(labels)",
    ],
)
def test_view_that_always_answers_is_left_alone(body):
    assert read(VIEW.format(body=body)) == []


PARTLY = """
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    def first(image):
        labels = client.label_detection(image=image).label_annotations
        if labels:
            return labels[0].description
        {rest}
    def f(image):
        {used}
"""


def test_part_of_what_may_not_be_returned_is_read():
    rest = 'else:\n            print("none")'
    assert read(PARTLY.format(rest=rest, used="return first(image).lower()")) == [
        ("code/error", 11, "")
    ]


@pytest.mark.parametrize(
    ("rest", "used"),
    [
        ('return ""', "return first(image).lower()"),
        ('else:\n            print("none")', "return first(image)"),
        ("", "return first(image).lower()"),
    ],
)
def test_result_that_is_there_or_not_taken_apart_is_left_alone(rest, used):
    assert read(PARTLY.format(rest=rest, used=used)) == []


ASKING = """
    from google.cloud import vision
    client = vision.ImageAnnotatorClient()
    def labels_of(image):
        return client.label_detection(image=image).label_annotations
"""


def test_call_of_an_asking_function_that_is_not_imported_is_read():
    caller = "import json\ndef g(image):\n    try:\n        return labels_of(image)\n"
    caller += "    except Exception:\n        return None\n"
    assert read(ASKING, main=caller) == [("code/error", 4, "")]


@pytest.mark.parametrize(
    "caller",
    [
        "from app import labels_of\nlabels_of(1)\n",
        "from app import *\nlabels_of(1)\n",
        "import app\napp.labels_of(1)\n",
    ],
)
def test_call_of_a_function_that_is_imported_is_left_alone(caller):
    assert read(ASKING, main=caller) == []


def test_module_that_a_listed_star_import_cannot_give_is_read():
    code = (
        "from google.cloud import vision\nfrom tqdm import *\n"
        "client = vision.ImageAnnotatorClient()\n"
        "def f(image):\n    os.environ['A'] = 'b'\n    trange(3)\n"
        "    return client.label_detection(image=image)\n"
    )
    assert read(code) == [("code/error", 5, "")]


def test_file_that_no_python_takes_is_read():
    broken = "def g(image):\n    a = 0, b = 0\n    return client.label_detection(image=image)\n"
    assert read(ASKING, broken=broken) == [("code/error", 2, "")]


@pytest.mark.parametrize(
    "other",
    [
        "def g(image):\n    print client.label_detection(image=image)\n",
        "type A = int\nb = client.label_detection(image=1)\na = 0, b = 0\n",
        "def g(image):\n    a = 0, b = 0\n",
    ],
)
def test_file_of_another_python_or_without_a_request_is_left_alone(other):
    assert read(ASKING, other=other) == []
