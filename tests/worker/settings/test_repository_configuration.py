"""The configuration of the tested repository."""

import datetime

import pytest

from tests.worker.changes.conftest import Project
from worker.errors import UsageError
from worker.settings.repository_configuration import (
    Configuration,
    InlineIgnore,
    inline_ignores,
    malformed_ignores,
    parse_configuration,
    proposed_change_note,
    read_configuration,
)

WHOLE = """
[project]
name = "shop"

[tool.assayer]
include = ["src/"]
exclude = [
    "src/old/",
    "!vendor/ours/",
]
inputs = 20
recall-threshold = 0.8
gate = "neutral"
analyzers = ["cloud"]
commands = ["ada", "grace"]
inline-comments = 3
budget = { seconds = 120, api-calls = 500 }

[[tool.assayer.ignore]]
fingerprint = "0123456789abcdef"
reason = "known since 2020"
until = 2027-01-31

[[tool.assayer.ignore]]
rule = "cloud/crash"
path = "src/legacy/"
reason = "goes away"
"""


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project")


def parsed(text):
    found = parse_configuration(text, "pyproject.toml")
    assert found is not None
    return found


def test_every_key_is_read():
    configuration = parsed(WHOLE)
    assert configuration.include == ("src/",)
    assert configuration.exclude == ("src/old/", "!vendor/ours/")
    assert (configuration.inputs, configuration.recall_threshold) == (20, 0.8)
    assert (configuration.gate, configuration.analyzers) == ("neutral", ("cloud",))
    assert (configuration.commands, configuration.inline_comments) == (("ada", "grace"), 3)
    assert (configuration.budget.seconds, configuration.budget.api_calls) == (120, 500)
    assert configuration.ignore[0].until == datetime.date(2027, 1, 31)


def test_own_file_has_the_keys_on_top():
    found = parse_configuration("inputs = 7\n", ".github/assayer.toml")
    assert found is not None
    assert found.inputs == 7


def test_absent_table_is_no_configuration():
    assert parse_configuration("[tool.black]\n", "pyproject.toml") is None
    assert parse_configuration("", "pyproject.toml") is None


@pytest.mark.parametrize(
    ("line", "key", "says"),
    [
        ("recal-threshold = 0.8", "recal-threshold", "did you mean `recall-threshold`"),
        ("recall_threshold = 0.8", "recall_threshold", "did you mean `recall-threshold`"),
        ("recall-threshold = 1.0", "recall-threshold", "less than 1"),
        ("recall-threshold = 0", "recall-threshold", "greater than 0"),
        ("recall-threshold = nan", "recall-threshold", ""),
        ('recall-threshold = "0.8"', "recall-threshold", "number"),
        ("inputs = true", "inputs", "integer"),
        ("inputs = 0", "inputs", "greater"),
        ('gate = "error"', "gate", "'failure' or 'neutral'"),
        ('commands = "everyone"', "commands", "'write', 'maintain' or 'admin'"),
        ('include = "src/"', "include", "list"),
        ('include = ["a", 1]', "include.1", "string"),
        ('exclude = ["!"]', "exclude", ""),
        ("budget = { api-dollars = -1 }", "budget.api-dollars", "greater than or equal to 0"),
        ("budget = { seconds = 0 }", "budget.seconds", "greater than 0"),
        ("budget = { api-call = 5 }", "budget.api-call", "did you mean `api-calls`"),
        ('ignore = [{ rule = "cloud/crash", reason = "x" }]', "ignore.0", "`rule` and `path`"),
        (
            'ignore = [{ rule = "cloud/crush", path = "a.py", reason = "x" }]',
            "ignore.0",
            "did you mean `cloud/crash`",
        ),
        ('ignore = [{ fingerprint = "x" }]', "ignore.0.reason", "required"),
        ('ignore = [{ fingerprint = "x", reason = "  " }]', "ignore.0.reason", "at least 1"),
        (
            'ignore = [{ fingerprint = "x", reason = "y", until = "2027-01-01" }]',
            "ignore.0.until",
            "without quotes",
        ),
        (
            'ignore = [{ fingerprint = "x", reason = "y", until = 2027-01-01T00:00:00 }]',
            "ignore.0.until",
            "date",
        ),
    ],
)
def test_mistake_is_named_with_its_place(line, key, says):
    text = f"[project]\nname = 'x'\n\n# ours\n[tool.assayer]\ngate = 'failure'\n{line}\n"
    text = text.replace("gate = 'failure'\n", "") if line.startswith("gate") else text
    with pytest.raises(UsageError) as refused:
        parse_configuration(text, "pyproject.toml")
    assert refused.value.file == "pyproject.toml"
    assert refused.value.line == text.splitlines().index(line) + 1
    assert refused.value.key == f"tool.assayer.{key}"
    assert says in refused.value.message


def test_line_is_right_below_long_values():
    text = WHOLE.replace("inputs = 20", 'inputs = """\n[fake]\ninputs = 3\n"""')
    with pytest.raises(UsageError) as refused:
        parse_configuration(text, "pyproject.toml")
    assert refused.value.line == 11
    second = WHOLE.replace('reason = "goes away"', 'reason = "goes away"\nowner = "me"')
    with pytest.raises(UsageError) as refused:
        parse_configuration(second, "pyproject.toml")
    assert refused.value.line == second.splitlines().index('owner = "me"') + 1
    assert refused.value.key == "tool.assayer.ignore.1.owner"


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = = 2\n", 2), ("[tool\n", 1), ("a = [1,\n", 2)]
)
def test_broken_toml_is_named_with_its_line(text, line):
    with pytest.raises(UsageError) as refused:
        parse_configuration(text, "pyproject.toml")
    assert (refused.value.file, refused.value.line) == ("pyproject.toml", line)


def test_scalar_in_place_of_the_table_is_refused():
    with pytest.raises(UsageError) as refused:
        parse_configuration("[tool]\nassayer = 3\n", "pyproject.toml")
    assert (refused.value.line, refused.value.key) == (2, "tool.assayer")


def test_ignore_ends_with_its_day():
    by_fingerprint, by_place = parsed(WHOLE).ignore
    day = datetime.date(2027, 1, 31)
    fingerprint = "0123456789abcdef"
    assert by_fingerprint.covers(fingerprint, "x/y", "a.py", day)
    assert not by_fingerprint.covers(fingerprint, "x/y", "a.py", day + datetime.timedelta(1))
    assert not by_fingerprint.covers("other", "x/y", "a.py", day)
    assert by_place.covers("any", "cloud/crash", "src/legacy/deep/a.py", day)
    assert not by_place.covers("any", "cloud/crash", "src/a.py", day)
    assert not by_place.covers("any", "cloud/low-recall", "src/legacy/a.py", day)


def test_base_decides_and_head_is_only_validated(project):
    project.write("pyproject.toml", "[tool.assayer]\ninputs = 7\n")
    base = project.commit()
    assert proposed_change_note(project.root, base) is None
    project.write("pyproject.toml", "[tool.assayer]\ninputs = 70\ngate = 'neutral'\n")
    assert read_configuration(project.root, base).inputs == 7
    assert read_configuration(project.root).gate == "failure"
    assert "takes effect" in (proposed_change_note(project.root, base) or "")
    assert read_configuration(project.root, everything=True).inputs == 70
    project.write("pyproject.toml", "[tool.assayer]\ninputs = 0\n")
    with pytest.raises(UsageError, match=r"pyproject\.toml:2: tool\.assayer\.inputs"):
        read_configuration(project.root, base)
    commit = project.commit()
    project.write("pyproject.toml", "")
    with pytest.raises(UsageError, match="inputs"):
        read_configuration(project.root, base, head=commit)


def test_repository_without_configuration_gets_defaults(project):
    base = project.commit(app="a = 1\n")
    assert read_configuration(project.root, base) == Configuration()


def test_two_configurations_are_refused(project):
    project.write("pyproject.toml", "[tool.assayer]\n")
    project.write(".github/assayer.toml", "inputs = 3\n")
    with pytest.raises(UsageError, match="keep one"):
        read_configuration(project.root, everything=True)
    project.write("pyproject.toml", "[tool.black]\n")
    assert read_configuration(project.root, everything=True).inputs == 3


def test_second_configuration_of_a_change_is_a_proposal(project):
    project.write("pyproject.toml", "[tool.assayer]\ninputs = 4\n")
    base = project.commit()
    project.write(".github/assayer.toml", "inputs = 3\n")
    assert read_configuration(project.root, base).inputs == 4
    assert "keep one of them" in proposed_change_note(project.root, base)
    both = project.commit()
    with pytest.raises(UsageError, match="keep one"):
        read_configuration(project.root, both)


def test_second_configuration_of_a_change_is_validated(project):
    project.write("pyproject.toml", "[tool.assayer]\n")
    base = project.commit()
    project.write(".github/assayer.toml", "inputs = 'many'\n")
    with pytest.raises(UsageError, match="inputs"):
        read_configuration(project.root, base)


def test_unreadable_configuration_is_refused(project):
    base = project.commit()
    project.write("pyproject.toml", b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_configuration(project.root, base)


def test_configuration_is_not_read_through_a_link(project, tmp_path):
    secret = tmp_path / "secret.toml"
    secret.write_text("[tool.assayer]\ninputs = 3\n")
    base = project.commit()
    (project.root / "pyproject.toml").symlink_to(secret)
    with pytest.raises(UsageError, match="symbolic link"):
        read_configuration(project.root, base)


CODE = '''
a = 1  # assayer: ignore[cloud/low-recall] the label set is closed
b = 2  # noqa: E501  # Assayer:ignore[cloud/crash]   fine here
text = "# assayer: ignore[cloud/crash] in a string"
"""
# assayer: ignore everything
"""
# the assayer: a person who assays
'''


def test_inline_comments_are_read():
    assert inline_ignores(CODE, "a.py") == (
        InlineIgnore("a.py", 2, "cloud/low-recall", "the label set is closed"),
        InlineIgnore("a.py", 3, "cloud/crash", "fine here"),
    )
    assert malformed_ignores(CODE, "a.py") == ()


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        ("# assayer: ignore", "name the rule"),
        ("# assayer: ignore because", "name the rule"),
        ("# assayer: ignore[]", "cannot be read|reason"),
        ("# assayer: ignore[*] all of it", "cannot be read"),
        ("# assayer: ignore[cloud/crash]", "reason"),
        ("# assayer: ignore[cloud/crash]reason", "cannot be read"),
        ("# assayer: ignore [cloud/crash] reason", "cannot be read"),
        ("# assayer: skip[cloud/crash] reason", "only order"),
        ("# assayer: ignore[cloud/crush] reason", "did you mean `cloud/crash`"),
        ("# assayer:", "only order"),
    ],
)
def test_malformed_comment_silences_nothing(comment, says):
    text = f"x = 1\ny = 2  {comment}\n"
    assert inline_ignores(text, "a.py") == ()
    (problem,) = malformed_ignores(text, "a.py")
    assert str(problem).startswith("a.py:2: ")
    assert any(part in problem.problem for part in says.split("|"))


def test_comments_of_broken_code_are_read_so_far():
    text = "x = 1  # assayer: ignore[cloud/crash] why\ny = (\n"
    assert len(inline_ignores(text, "a.py")) == 1


def test_a_repository_may_let_outages_pass():
    found = parse_configuration("fail-open = true\n", ".github/assayer.toml")
    assert found is not None
    assert found.fail_open
    assert not Configuration().fail_open
