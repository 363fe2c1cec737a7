"""Environment variables that only one place spells so."""

import pytest

from analyzers.code_errors import misspelt_variables
from analyzers.criteria import is_written
from analyzers.vocabulary import Reason, Target
from tests.analyzers.benches import IdleBench

TARGET = Target("app.py", "connect", 1, 9, Reason.CHANGED, (), (), ("app.py",))
READ = 'import os\n\ndef connect():\n    address = os.environ["{}"]\n    return address\n'


class SpellingBench(IdleBench):
    def source(self, path):
        return self.texts[path]

    def paths(self):
        return tuple(self.texts)


def findings(code, standins=(), **texts):
    files = {name.replace("__", "."): text for name, text in texts.items()}
    bench = SpellingBench({"app.py": code, **files})
    bench.standins = standins
    return list(misspelt_variables("cloud", TARGET, bench)), bench


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("AZURE_ENDPONIT", "AZURE_ENDPOINT"),
        ("AZURE_ENDPINT", "AZURE_ENDPOINT"),
        ("SPEECH_CREDENTAILS_FILE", "SPEECH_CREDENTIALS_FILE"),
        ("AZURE_SUBSCRIPTOIN_KEY", "AZURE_SUBSCRIPTION_KEY"),
    ],
)
def test_slip_beside_the_right_spelling_is_told(name, described):
    (finding,), bench = findings(READ.format(name), readme__md=f"Set `{described}` first.\n")
    assert (finding.rule, finding.level, finding.line) == ("code/error", "failure", 4)
    assert finding.suggestion.replacement == f'    address = os.environ["{described}"]'
    assert is_written(finding.criterion, bench.source("app.py"))
    assert {"exception", "raised_at", "inputs"} <= set(finding.evidence)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("AZURE_ENDPOINT", {"readme__md": "AZURE_ENDPOINT"}),
        ("AZURE_ENDPONIT", {}),
        ("AZURE_ENDPONIT", {"readme__md": "AZURE_ENDPOINT", "run__py": "x = 'AZURE_ENDPONIT'"}),
        ("AZURE_ENDPONIT", {"readme__md": "AZURE_ENDPOINT AZURE_ENDPOONIT"}),
        ("AZURE_ENDPOINTS", {"readme__md": "AZURE_ENDPOINT"}),
        ("AZURE_ENDPOINT_2", {"readme__md": "AZURE_ENDPOINT_1"}),
        ("BUCKET_IN", {"readme__md": "BUCKET_ON"}),
        ("CAMERA_LIGHT", {"readme__md": "CAMERA_RIGHT"}),
        ("INPUT_FOLDER", {"readme__md": "OUTPUT_FOLDER"}),
        ("DB_USER", {"readme__md": "DB_HOST"}),
    ],
)
def test_other_names_are_left_alone(name, texts):
    assert findings(READ.format(name), **texts)[0] == []


CONDITIONAL = {
    "in a branch": 'if address:\n        address = os.environ["AZURE_ENDPONIT"]',
    "as a fallback": 'address = None or os.environ["AZURE_ENDPONIT"]',
    "where it may fail": 'try:\n        address = os.environ["AZURE_ENDPONIT"]\n'
    "    except KeyError:\n        address = None",
    "with a default": 'address = os.environ.get("AZURE_ENDPONIT", "")',
    "being set": 'os.environ["AZURE_ENDPONIT"] = address',
    "after returning": 'if address:\n        return\n    address = os.environ["AZURE_ENDPONIT"]',
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_what_may_not_be_read_is_left_alone(name):
    code = f"import os\n\ndef connect(address):\n    {CONDITIONAL[name]}\n    return address\n"
    assert findings(code, readme__md="AZURE_ENDPOINT")[0] == []


def test_reading_while_loading_needs_a_run():
    code = 'import os\nADDRESS = os.environ["AZURE_ENDPONIT"]\ndef connect():\n    pass\n'
    texts = {"compose__yaml": "environment:\n  AZURE_ENDPOINT: x\n"}
    assert findings(code, **texts)[0] == []
    assert len(findings(code, ["os.environ['AZURE_ENDPONIT']"], **texts)[0]) == 1
