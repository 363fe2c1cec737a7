"""Which functions a change makes worth testing."""

from __future__ import annotations

import textwrap

import pytest

from analyzers.vocabulary import Reason
from tests.analyzers.detection.detection_cases import changed

APP = """
    from google.cloud import vision

    from rules import FLOOR, load

    client = vision.ImageAnnotatorClient()

    def ask(path):
        return client.label_detection(image=vision.Image(content=load(path))).label_annotations

    def strong(label):
        return label.score > FLOOR

    def judge(path):
        labels = ask(path)
        if any(strong(label) for label in labels):
            return "seen"
        return "nothing"

    def view(request):
        return judge(request.path)

    def about():
        return "about"
"""
RULES = """
    FLOOR = 0.5
    TITLE = "rules"

    def load(path):
        with open(path, "rb") as file:
            return file.read()

    def unrelated():
        return TITLE
"""
BASE = {"app.py": textwrap.dedent(APP), "rules.py": textwrap.dedent(RULES)}


def after(path: str, old: str, new: str) -> dict[str, Reason]:
    """The reasons of the targets once ``old`` is written ``new``."""
    assert old in BASE[path]
    head = BASE | {path: BASE[path].replace(old, new)}
    return {target.function: target.reason for target in changed(BASE, head).targets}


def test_changed_function_is_a_target():
    assert after("app.py", '"nothing"', '"none"') == {"judge": Reason.CHANGED}


def test_changed_call_alters_its_caller():
    reasons = after("app.py", ".label_annotations", ".label_annotations[:3]")
    assert reasons == {"ask": Reason.CHANGED, "judge": Reason.CALLS_CHANGED}


def test_changed_consumer_is_tested_through_its_nearest_caller():
    assert after("app.py", "label.score >", "label.score >=") == {"judge": Reason.CALLS_CHANGED}


def test_changed_preparation_alters_the_question():
    assert after("rules.py", "file.read()", "file.read(9)")["ask"] is Reason.CALLS_CHANGED


def test_changed_constant_changes_its_users():
    assert after("rules.py", "FLOOR = 0.5", "FLOOR = 0.6") == {"judge": Reason.CALLS_CHANGED}


def test_deleted_name_changes_its_users():
    assert "judge" in after("rules.py", "FLOOR = 0.5\n", "")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("app.py", '"about"', '"about us"'),
        ("rules.py", 'TITLE = "rules"', 'TITLE = "laws"'),
        ("app.py", "labels = ask(path)", "labels = ask(path)  # ask first"),
        ("app.py", "def judge(path):\n", 'def judge(path):\n    """Judge."""\n'),
    ],
)
def test_harmless_change_selects_nothing(path, old, new):
    assert after(path, old, new) == {}


def test_changed_caller_and_callee_are_both_kept():
    head = BASE["app.py"].replace("0.5", "0.6").replace('"seen"', '"yes"')
    head = head.replace("judge(request.path)", "judge(request.path).upper()")
    targets = changed(BASE, BASE | {"app.py": head}).targets
    assert [target.function for target in targets] == ["judge", "view"]


def test_change_of_a_class_constant_changes_its_methods():
    base = textwrap.dedent("""
        import boto3

        class Gate:
            floor = 80

            def opens(self, image):
                answer = boto3.client("rekognition").detect_labels(Image=image)
                return answer["Labels"][0]["Confidence"] > self.floor

            def name(self):
                return "gate"
    """)
    found = changed({"gate.py": base}, {"gate.py": base.replace("80", "90")}).targets
    assert [(target.function, target.reason) for target in found] == [
        ("Gate.opens", Reason.CHANGED)
    ]


def test_rename_of_a_file_selects_nothing():
    from analyzers.catalogue import load_catalogue
    from analyzers.detection import detect
    from analyzers.vocabulary import ChangeSet, FileChange

    change = FileChange("main.py", frozenset(), old_path="app.py")
    head = {"main.py": BASE["app.py"], "rules.py": BASE["rules.py"]}
    changes = ChangeSet("repository", "base", "head", (change,), head, BASE)
    assert detect(changes, load_catalogue()).targets == ()


def test_nested_function_is_tested_through_the_outer_one():
    base = textwrap.dedent("""
        from google.cloud import language

        def outer(text):
            client = language.LanguageServiceClient()

            def inner(words):
                answer = client.analyze_sentiment(document={"content": words})
                return answer.document_sentiment.score > 0

            return inner(text.strip())
    """)
    targets = changed({"a.py": base}, {"a.py": base.replace("> 0", "> 0.1")}).targets
    assert [target.function for target in targets] == ["outer"]
    assert {goal.function for goal in targets[0].goals} == {"outer.<locals>.inner"}
