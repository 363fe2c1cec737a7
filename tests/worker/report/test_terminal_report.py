import io
import re

from tests.worker.report import samples
from tests.worker.report.rendering import to_text
from worker.report.artifacts import write_artifacts
from worker.report.report_formats import RenderOptions, render
from worker.report.terminal_report import wants_colour
from worker.settings.inline_ignores import inline_ignores


def test_verdict_comes_last():
    assert to_text(samples.full_report()).splitlines()[-1] == "✗ 3 new findings block"


def test_clean_report_is_short():
    lines = to_text(samples.report()).splitlines()
    assert lines[-1] == "✓ No new findings"
    assert len([line for line in lines if line]) <= 3


def test_colours_only_when_asked():
    report = samples.full_report()
    assert "\x1b" not in to_text(report)
    assert "\x1b[1;31m" in to_text(report, colour=True)


def test_finding_says_everything(tmp_path):
    report = samples.report(samples.low_recall())
    text = to_text(report, write_artifacts(report, tmp_path, samples.SOURCES))
    assert "shop/alarm.py:12  Only 4 of 10 pictures of “Fire” reach this branch" in text
    assert "reached: 4 of 10 inputs, 40 % (95 % interval 17–69 %)" in text
    assert '-         if "Fire" in self.names:\n' in text
    assert '+         if {"Fire", "Flame"} & set(self.names):\n' in text
    assert "and 5 more" in text
    assert "Silence: # assayer: ignore[cloud/low-recall] reason (at the end of line 12)" in text
    assert "/assayer ignore" not in text


def test_says_what_was_not_tested():
    text = to_text(samples.full_report(broken=(samples.BROKEN,)))
    assert "shop/faces.py::count: no source of faces works offline" in text
    assert "Our own failures\n  shop/alarm.py::Alarm.check: KeyError" in text


def test_new_findings_come_before_old():
    text = to_text(samples.report(samples.mixed_sentiment(), samples.crash()))
    assert text.index("shop/receipts.py:12") < text.index("shop/reviews.py:9")


def test_ignored_findings_ask_for_nothing():
    finding = samples.crash()
    report = samples.report(finding, ignored={finding.fingerprint: {"reason": "known bug"}})
    text = to_text(report)
    assert "ignored: known bug" in text
    assert "Silence" not in text


def test_suggested_comment_silences_the_finding():
    """What is printed, put where it says, is read as an ignore of this rule on this line."""
    finding = samples.crash()
    [line] = [each for each in to_text(samples.report(finding)).splitlines() if "Silence" in each]
    comment, line_number = re.fullmatch(
        r" *Silence: (#.*) \(at the end of line (\d+)\)", line
    ).groups()
    lines = samples.RECEIPTS.splitlines()
    lines[int(line_number) - 1] += f"  {comment}"
    [ignore] = inline_ignores("\n".join(lines), finding.path)
    assert (ignore.rule, ignore.line) == (finding.rule, finding.line)


def test_terminal_is_not_driven_by_findings():
    text = to_text(samples.report(samples.crash(message="a\x1b]0;title\x07b\x9bc [bold]d[/bold]")))
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "[bold]d[/bold]" in text


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_terminals_are_coloured_unless_asked(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())


def test_narrow_terminals_are_filled_and_not_passed():
    text = render("text", samples.full_report(), None, RenderOptions(width=40))
    assert max(map(len, text.splitlines())) <= 40
    assert text.splitlines()[-1] == "✗ 3 new findings block"
