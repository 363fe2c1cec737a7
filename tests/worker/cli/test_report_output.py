"""Several outputs of one run, stored reports in other formats, and suggestions put in place."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.worker.report import samples
from worker.check.check_plan import CheckResult
from worker.cli.report_output import ReportOutput, Reports
from worker.cli.stored_reports import report_command
from worker.cli.suggestion_files import CHANGED, NOTEBOOK, OVERLAPS, SuggestionFiles
from worker.report.json_report import read_report


@pytest.fixture(autouse=True)
def _state(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def project(tmp_path):
    samples.write_project(tmp_path / "project", samples.SOURCES)
    return tmp_path / "project"


def hand_over(project, report=None, **output):
    report = replace(report or samples.full_report(), repository=str(project))
    Reports(ReportOutput(**output)).hand_over(CheckResult(report, samples.SOURCES))


@pytest.fixture
def stored(project, tmp_path):
    hand_over(project, paths=(tmp_path / "report.json",))
    return tmp_path / "report.json"


def render(*arguments):
    return CliRunner().invoke(report_command, [*map(str, arguments)], catch_exceptions=False)


BEGINNINGS = {
    "r.json": "{",
    "r.html": "<!doctype html>",
    "r.sarif": "{",
    "r.md": "### Assayer: 3 new findings block",
    "r.xml": "<?xml",
    "r.txt": "shop/",
    "gl-code-quality-report.json": "[",
}


def test_each_file_has_the_format_of_its_suffix(project, tmp_path, capsys):
    paths = tuple(tmp_path / name for name in BEGINNINGS)
    hand_over(project, paths=paths)
    for path in paths:
        assert path.read_text().strip().lower().startswith(BEGINNINGS[path.name].lower()), path
    assert capsys.readouterr().out == ""
    assert json.loads((tmp_path / "r.sarif").read_text())["version"] == "2.1.0"


def test_wanted_format_is_printed_where_no_file_has_it(project, tmp_path, capsys):
    hand_over(project, form="github", paths=(tmp_path / "r.json", tmp_path / "r.html"))
    assert capsys.readouterr().out.startswith("::error file=")


def test_wanted_format_is_printed_once(project, tmp_path, capsys):
    hand_over(project, form="json", paths=(tmp_path / "r.json", tmp_path / "r.html"))
    assert capsys.readouterr().out == ""


def test_one_file_may_have_a_fitting_format(project, tmp_path):
    hand_over(project, form="sarif", paths=(tmp_path / "r.json",))
    assert json.loads((tmp_path / "r.json").read_text())["version"] == "2.1.0"


def test_verdict_goes_to_standard_error_where_files_take_the_report(project, tmp_path, capsys):
    hand_over(project, paths=(tmp_path / "r.json",), quiet=False)
    assert capsys.readouterr().err.splitlines()[-1].startswith("3 new findings block (")


def test_partial_reports_are_kept_in_every_file_and_printed_never(project, tmp_path, capsys):
    paths = (tmp_path / "r.json", tmp_path / "r.html")
    report = replace(samples.full_report(), repository=str(project))
    Reports(ReportOutput("text", paths)).keep(CheckResult(report, samples.SOURCES))
    assert all(path.is_file() for path in paths)
    assert capsys.readouterr().out == ""


# ------------------------------------------------------------------ stored reports


@pytest.mark.parametrize(("form", "begins"), [("text", "shop/"), ("markdown", "### Assayer")])
def test_stored_report_is_printed(stored, form, begins):
    result = render(stored, "--format", form)
    assert (result.exit_code, result.output.startswith(begins)) == (0, True)


def test_stored_report_is_written_to_files(stored, tmp_path):
    page, sarif = tmp_path / "new" / "page.html", tmp_path / "r.sarif"
    assert render(stored, "--output", page, "--output", sarif).output == ""
    assert "data:image" in page.read_text()
    assert json.loads(sarif.read_text())["runs"]


def test_what_is_no_report_is_refused(tmp_path):
    (tmp_path / "r.json").write_text("{}")
    with pytest.raises(Exception, match=r"r\.json"):
        render(tmp_path / "r.json")


# ------------------------------------------------------------------ suggestions


def test_difference_is_what_git_applies(stored, project):
    result = render(stored, "--repo", project, "--diff")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    subprocess.run(["git", "apply"], input=result.output.encode(), cwd=project, check=True)
    changed = {path: (project / path).read_text() for path in samples.SOURCES}
    assert changed["shop/alarm.py"] != samples.ALARM
    assert 'if {"Fire", "Flame"} & set(self.names):' in changed["shop/alarm.py"]


def test_fix_changes_the_files_as_the_difference_says(stored, project):
    shown = render(stored, "--repo", project, "--diff").output
    result = render(stored, "--repo", project, "--fix")
    assert "Fixed: shop/alarm.py:12" in result.stderr
    assert 'if {"Fire", "Flame"} & set(self.names):' in (project / "shop/alarm.py").read_text()
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    subprocess.run(["git", "apply", "--reverse"], input=shown.encode(), cwd=project, check=True)
    assert (project / "shop/alarm.py").read_text() == samples.ALARM


def test_fix_of_a_fresh_run_needs_no_stored_report(project, capsys):
    hand_over(project, fix=True)
    assert 'if {"Fire", "Flame"} & set(self.names):' in (project / "shop/alarm.py").read_text()
    assert "Fixed: shop/alarm.py:12" in capsys.readouterr().err


def test_fix_refuses_what_has_changed_meanwhile(stored, project):
    alarm = project / "shop/alarm.py"
    alarm.write_text(f"# a line more\n{samples.ALARM}")
    result = render(stored, "--repo", project, "--fix")
    assert f"Not applied: shop/alarm.py: {CHANGED}" in result.stderr
    assert alarm.read_text() == f"# a line more\n{samples.ALARM}"


def test_fix_twice_changes_nothing_more(stored, project):
    render(stored, "--repo", project, "--fix")
    once = (project / "shop/alarm.py").read_text()
    assert "Not applied" in render(stored, "--repo", project, "--fix").stderr
    assert (project / "shop/alarm.py").read_text() == once


def test_line_ends_and_encoding_stay(stored, project):
    content = samples.ALARM.replace("\n", "\r\n").encode()
    (project / "shop/alarm.py").write_bytes(content)
    render(stored, "--repo", project, "--fix")
    fixed = (project / "shop/alarm.py").read_bytes()
    assert b'if {"Fire", "Flame"} & set(self.names):\r\n' in fixed
    assert fixed.count(b"\r\n") == content.count(b"\r\n")


def suggesting(document, path=None, **changes):
    """A report's document whose first suggestion is there again, for ``path`` if given."""
    found = next(f for f in document["findings"] if f["suggestion"] and f["suggestion"]["verified"])
    own = found["suggestion"]
    suggestion = {**own, "path": path or own["path"], **changes}
    return {"findings": [found, {**found, "suggestion": suggestion}]}


def test_of_overlapping_suggestions_the_first_is_applied(stored, project):
    files = SuggestionFiles(suggesting(read_report(stored), replacement="x"), project)
    assert len(files.chosen) == 1
    assert [each.partition(": ")[2] for each in files.problems] == [OVERLAPS]


@pytest.mark.parametrize("path", ["../outside.py", "link.py", "/etc/hosts"])
def test_no_file_outside_of_the_checkout_is_changed(stored, project, path):
    outside = project.parent / "outside.py"
    outside.write_text(samples.ALARM)
    (project / "link.py").symlink_to(outside)
    files = SuggestionFiles(suggesting(read_report(stored), path), project)
    assert len(files.problems) == 1
    list(files.apply())
    assert outside.read_text() == samples.ALARM


def test_notebooks_are_left_to_people(stored, project):
    files = SuggestionFiles(suggesting(read_report(stored), "a.ipynb"), project)
    assert files.problems == [f"a.ipynb: {NOTEBOOK}"]


def test_unverified_suggestions_are_not_applied(stored, project):
    document = read_report(stored)
    document["findings"] = [
        {**each, "suggestion": {**each["suggestion"], "verified": False}}
        for each in document["findings"]
        if each["suggestion"]
    ]
    assert SuggestionFiles(document, project).difference() == ""


def test_nothing_to_apply_is_said(project, capsys):
    hand_over(project, samples.report(), fix=True)
    assert "No verified suggestion is available" in capsys.readouterr().err


def test_output_folder_is_made(project, tmp_path):
    hand_over(project, paths=(Path(tmp_path / "a" / "b" / "r.md"),))
    assert (tmp_path / "a" / "b" / "r.md").is_file()
