"""Errors of the code's own are found; what comes of made-up values is not."""

import pytest

from tests.end_to_end.commandline import home
from tests.end_to_end.repositories import PROJECTS, git, repository
from tests.end_to_end.test_planted import failures

pytestmark = pytest.mark.slow
OWN = {
    "reply": ("NameError", "REPLYES"),
    "shelved": ("AttributeError", "nmaes"),
    "level": ("UnboundLocalError", "return found"),
    "limited": ("KeyError", '"least"'),
    "addressed": ("KeyError", "POST_OFFCIE"),
}
REPAIRED = {"reply": "REPLIES", "shelved": "names", "addressed": "POST_OFFICE"}
TEXT = (PROJECTS / "errors" / "planted" / "replies.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("errors")
    return repository(folder / "errors", "errors"), home(folder), folder


@pytest.fixture(scope="module")
def checked(errors):
    project, user, folder = errors
    options = ("--base", "main", "--head", "planted", "--offline", "--inputs", "3")
    return user.check(project, folder / "report", *options)


def finding(checked, function):
    code = OWN[function][1]
    (line,) = [n for n, text in enumerate(TEXT.splitlines(), 1) if code in text]
    return checked.about("replies.py", line)


@pytest.mark.parametrize("function", OWN)
def test_error_of_the_code_is_found(checked, function):
    found = finding(checked, function)
    assert (found["rule"], found["level"], found["status"]) == ("code/error", "failure", "new")
    assert found["evidence"]["exception"] == OWN[function][0]
    assert found["evidence"]["raised_at"] == f"replies.py:{found['line']}"


@pytest.mark.parametrize("function", REPAIRED)
def test_near_name_is_a_verified_suggestion(checked, function):
    suggestion = finding(checked, function)["suggestion"]
    assert suggestion["verified"] is True
    assert REPAIRED[function] in suggestion["replacement"]


def test_nothing_else_is_found(checked):
    assert {found["path"] for found in checked.findings} == {"replies.py"}
    assert len(checked.findings) == len(OWN)
    assert (checked.status, checked.report["broken"]) == (1, [])


def test_reproducers_fail_here_and_pass_on_base(checked, errors, tmp_path):
    project, _, folder = errors
    head = folder / "head"
    git(project, "worktree", "add", "--quiet", "--detach", str(head), "planted")
    run = [found for found in checked.findings if found["reproducer"]]
    assert len(run) == len(OWN) - 1

    class Runnable:
        findings = run
        folder = checked.folder

    on_head = failures(Runnable, head, tmp_path / "head.xml")
    on_base = failures(Runnable, project, tmp_path / "base.xml")
    assert len(on_head) == len(run)
    assert all(on_head.values())
    assert not any(on_base.values())
