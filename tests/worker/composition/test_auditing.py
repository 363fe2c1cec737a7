from dataclasses import replace

from analyzers.vocabulary import Status
from tests.worker.composition import hostile
from tests.worker.composition.documents import ROOT, TODAY, document, ignore
from tests.worker.report import samples
from worker.composition.auditing import audit_issue
from worker.composition.marks import AUDIT, has_mark
from worker.report.markdown import COMMENT_LIMIT, NOWHERE, Addresses, size
from worker.store.records import IgnoreKind

OLD = samples.crash(status=Status.EXISTING)


def test_issue_tells_what_stands_on_the_branch():
    issue = audit_issue(document(OLD), (), TODAY, NOWHERE)
    assert issue.open
    assert "### Assayer: 1 finding on the default branch" in issue.body
    assert "1 finding in full" in issue.body
    assert has_mark(issue.body, AUDIT)


def test_issue_without_findings_need_not_be_open():
    issue = audit_issue(document(), (), TODAY, NOWHERE)
    assert not issue.open
    assert "0 findings on the default branch" in issue.body


def test_ignored_findings_do_not_stand():
    issue = audit_issue(document(OLD), [ignore(OLD.fingerprint, reason="known")], TODAY, NOWHERE)
    assert not issue.open
    assert "ignored: known" in issue.body


def test_baseline_is_told_in_the_audit():
    accepted = [ignore(OLD.fingerprint, kind=IgnoreKind.BASELINE)]
    assert audit_issue(document(replace(OLD, status=Status.NEW)), accepted, TODAY, NOWHERE).open


def test_large_audits_fit():
    many = [replace(OLD, symbol=f"s{n}", message="é @a " * 900) for n in range(200)]
    issue = audit_issue(document(*many), (), TODAY, Addresses(f"{ROOT}/runs/x"))
    assert size(issue.body) <= COMMENT_LIMIT
    hostile.assert_harmless(issue.body, ROOT)
    hostile.assert_closed(issue.body)
    assert has_mark(issue.body, AUDIT)
