"""``assayer fuzz`` at the command line: wrong usage, and progress."""

import io

import pytest
from click.testing import CliRunner
from rich.console import Console

from tests.analyzers.samples import finding
from worker.check.fuzz_campaign import CampaignCounts
from worker.cli import cli
from worker.cli.campaign_progress import CampaignProgress
from worker.errors import UsageError


def asked(*words):
    return CliRunner().invoke(cli, ["fuzz", *map(str, words)], standalone_mode=False)


def test_file_without_a_model_is_wrong_usage(tmp_path):
    (tmp_path / "plain.py").write_text("x = 1\n", encoding="utf-8")
    error = asked(tmp_path / "plain.py").exception
    assert isinstance(error, UsageError)
    assert "plain.py has no model in it: a campaign needs a class below torch.nn.Module" in str(
        error
    )


def test_absent_file_is_wrong_usage(tmp_path):
    assert isinstance(asked(tmp_path / "absent.py").exception, UsageError)


@pytest.mark.parametrize("words", [("--budget", "0"), ("--files", "0"), ("--format", "pdf")])
def test_values_that_cannot_be_are_refused(words, tmp_path):
    assert asked(tmp_path / "net.py", *words).exit_code != 0


def test_what_was_spent_is_said_at_the_end():
    written = io.StringIO()
    progress = CampaignProgress(Console(file=written, soft_wrap=True), None)
    progress.found(finding())
    progress.spent(CampaignCounts(files=3))
    assert "files assembled" not in written.getvalue()
    progress.ended(CampaignCounts(files=3))
    assert "3 files assembled, 0 mutants" in written.getvalue()


def test_terminal_shows_what_was_run_so_far():
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=200)
    with console.status("…") as status:
        CampaignProgress(console, status).spent(CampaignCounts(files=3))
        assert "3 files assembled" in str(status.status)
