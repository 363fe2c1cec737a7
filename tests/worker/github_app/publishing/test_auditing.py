from dataclasses import replace

from analyzers.vocabulary import Status
from tests.worker.github_app.publishing import hostile
from tests.worker.github_app.publishing.documents import ROOT, TODAY, document, ignore
from tests.worker.report import samples
from worker.github_app.publishing.audit_issue import audit_issue
from worker.github_app.publishing.comment_marks import AUDIT, has_mark
from worker.report.markdown_report import COMMENT_LIMIT, NO_LINKS, ReportLinks, size
from worker.store.records import IgnoreKind

OLD = samples.crash(status=Status.EXISTING)


def test_issue_tells_what_stands_on_the_branch():
    issue = audit_issue(document(OLD), (), TODAY, NO_LINKS)
    assert issue.open
    assert "### Assayer: 1 finding on the default branch" in issue.body
    assert "1 finding in full" in issue.body
    assert has_mark(issue.body, AUDIT)


def test_issue_without_findings_need_not_be_open():
    issue = audit_issue(document(), (), TODAY, NO_LINKS)
    assert not issue.open
    assert "0 findings on the default branch" in issue.body


def test_ignored_findings_do_not_stand():
    issue = audit_issue(document(OLD), [ignore(OLD.fingerprint, reason="known")], TODAY, NO_LINKS)
    assert not issue.open
    assert "ignored: known" in issue.body


def test_baseline_is_told_in_the_audit():
    accepted = [ignore(OLD.fingerprint, kind=IgnoreKind.BASELINE)]
    assert audit_issue(document(replace(OLD, status=Status.NEW)), accepted, TODAY, NO_LINKS).open


def test_large_audits_fit():
    many = [replace(OLD, symbol=f"s{n}", message="é @a " * 900) for n in range(200)]
    issue = audit_issue(document(*many), (), TODAY, ReportLinks(f"{ROOT}/runs/x"))
    assert size(issue.body) <= COMMENT_LIMIT
    hostile.assert_harmless(issue.body, ROOT)
    hostile.assert_closed(issue.body)
    assert has_mark(issue.body, AUDIT)
