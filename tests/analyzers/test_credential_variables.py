"""Environment variables that the code sets for an SDK, read in the text of any changed file."""

import pytest

from analyzers import catalogue
from analyzers.criteria import is_written
from analyzers.source_checks import read_changes
from analyzers.vocabulary import ChangeSet

SETTING = "import os\n{setting}\n"


def read(setting, **others):
    text = SETTING.format(setting=setting)
    sources = {"app.py": text, **{f"{name}.py": other for name, other in others.items()}}
    known = catalogue.load_catalogue().variables
    changes = ChangeSet("here", "b" * 40, None, (), sources, {})
    found = list(read_changes(changes, {"app.py": ()}, {"app.py"}, variables=known))
    assert all(is_written(each.criterion, text) for each in found)
    return [(f.rule, f.level, f.line, f.evidence["closest"]) for f in found]


@pytest.mark.parametrize(
    ("setting", "meant"),
    [
        ('os.environ["GOOGLE_APPLICATION_CREDENTIAL"] = "k"', "GOOGLE_APPLICATION_CREDENTIALS"),
        ('os.environ.setdefault("ANTHROPIC_APIKEY", "k")', "ANTHROPIC_API_KEY"),
        ('os.putenv("OPENAI_API_KYE", "k")', "OPENAI_API_KEY"),
    ],
)
def test_variable_that_no_sdk_reads_is_told(setting, meant):
    assert read(setting) == [("cloud/misuse", "warning", 2, meant)]


@pytest.mark.parametrize(
    ("setting", "other"),
    [
        ('os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = "k"', ""),
        ('os.environ["MY_SETTING"] = "k"', ""),
        ('os.environ["OPENAI_API_KYE"] = "k"; k = os.getenv("OPENAI_API_KYE")', ""),
        ('os.environ["OPENAI_API_KYE"] = "k"', "k = os.environ['OPENAI_API_KYE']"),
        ('os.getenv("OPENAI_API_KYE")', ""),
    ],
)
def test_variable_that_something_reads_is_left_alone(setting, other):
    assert read(setting, other=other) == []
