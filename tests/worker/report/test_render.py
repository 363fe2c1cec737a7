import pytest

from analyzers.vocabulary import Conclusion
from tests.worker.report import samples
from worker.report.render import FORMATS, Options, render
from worker.report.rules import RULES, rule_of
from worker.report.wording import headline

CONTRACT = ("text", "json", "markdown", "sarif", "junit", "html")


def test_formats_are_the_contract_ones():
    assert tuple(FORMATS) == CONTRACT


@pytest.mark.parametrize("form", CONTRACT)
@pytest.mark.parametrize("conclusion", list(Conclusion))
def test_every_verdict_has_every_form(form, conclusion):
    report = samples.report(conclusion=conclusion, head=None, partial=True)
    assert render(form, report, None, Options()).strip()


def test_unknown_formats_are_refused():
    with pytest.raises(KeyError):
        render("pdf", samples.report())


def test_partial_reports_say_so():
    assert headline(samples.report(partial=True)) == "No new findings (stopped early)"


def test_unlisted_rules_speak_for_themselves():
    assert rule_of("new/rule").says == "new/rule"
    assert all(rule_of(name) is rule for name, rule in RULES.items())
