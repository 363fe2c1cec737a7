import pytest

from analyzers.vocabulary import Conclusion, Suggestion
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


@pytest.mark.parametrize("form", CONTRACT)
def test_only_verified_suggestions_are_shown(form):
    """Nothing of one that was not tried stands anywhere; of a tried one the new line does."""
    unlike = "word_that_only_the_suggestion_has"

    def shown(**state):
        suggestion = Suggestion("shop/receipts.py", 12, 12, f"    return {unlike}", **state)
        text = render(form, samples.report(samples.crash(suggestion=suggestion)), None, Options())
        return unlike in text

    assert not shown(verified=False)
    assert shown(verified=True) or form == "junit"


def test_unknown_formats_are_refused():
    with pytest.raises(KeyError):
        render("pdf", samples.report())


def test_partial_reports_say_so():
    assert headline(samples.report(partial=True)) == "No new findings (stopped early)"


def test_change_that_is_no_defect_is_told_in_a_success():
    told = samples.report(samples.changed(), conclusion=Conclusion.SUCCESS)
    assert headline(told) == "No new defects"
    for form in ("text", "json", "markdown", "sarif", "junit"):
        assert "'alarm' are now 'quiet'" in render(form, told).replace("&#x27;", "'"), form


def test_unlisted_rules_speak_for_themselves():
    assert rule_of("new/rule").says == "new/rule"
    assert all(rule_of(name) is rule for name, rule in RULES.items())
