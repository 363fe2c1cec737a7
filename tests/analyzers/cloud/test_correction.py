"""A word that the API does not have is replaced where it stands."""

import pytest

from analyzers.cloud.repairs.labels.label_additions import ProjectFiles
from analyzers.cloud.repairs.labels.label_corrections import corrections
from tests.analyzers.cloud.bench import goals

CHECK = "def check(path):\n    if {} in labels():\n        return 1\n    return 0\n"
NAMES = {"pants": "Trousers"}


def corrected(**files):
    texts = {f"{name}.py": text for name, text in files.items()}
    goal = next(g for g in goals(texts["app.py"]) if "in labels()" in g.decision_text)
    found = corrections(goal, NAMES.get, ProjectFiles(texts.__getitem__, tuple(texts)))
    return [(each.path, each.start_line, each.replacement) for each in found]


def test_api_spelling_comes_before_lower_case():
    assert corrected(app=CHECK.format('"pants"')) == [
        ("app.py", 2, '    if "Trousers" in labels():'),
        ("app.py", 2, '    if "trousers" in labels():'),
    ]


def test_case_of_the_condition_comes_first():
    found = corrected(app=CHECK.format('"pants".upper()'))
    assert found[0] == ("app.py", 2, '    if "TROUSERS".upper() in labels():')


@pytest.mark.parametrize("use", ["WANTED", "config.WANTED"])
def test_constant_of_another_file_is_changed_there(use):
    brought = "from config import WANTED\n" if use == "WANTED" else "import config\n"
    found = corrected(app=brought + CHECK.format(use), config="WANTED = 'pants'\n")
    assert found[0] == ("config.py", 1, "WANTED = 'Trousers'")


def test_list_of_a_loop_is_changed():
    loop = "def check(path):\n    for word in ('pants', 'Hat'):\n        if word in labels():\n"
    found = corrected(app=f"{loop}            return 1\n")
    assert found[0] == ("app.py", 2, "    for word in ('Trousers', 'Hat'):")


def test_word_that_stands_nowhere_is_left():
    assert corrected(app=CHECK.format("path")) == []
