"""From what is known of a run to all that should stand at GitHub: the one way in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from analyzers.vocabulary import Status
from worker.github_app import messages
from worker.github_app.publishing import inline_comments
from worker.github_app.publishing.check_runs import (
    APPLY,
    CheckRunOutput,
    cancelled_output,
    examined_output,
    failed_output,
    location_code,
    refused_output,
)
from worker.github_app.publishing.comment_marks import SUMMARY, finding_mark, marked
from worker.github_app.publishing.inline_comments import (
    ChangedFile,
    CommentPosition,
    Diff,
    Nowhere,
    OnLines,
    offer_to_read,
    offer_with_button,
)
from worker.github_app.publishing.review_comment_plan import (
    PlannedComment,
    PostedComment,
    Step,
    WantedComments,
    reconcile,
)
from worker.github_app.publishing.summary_comment import is_worth_a_comment, sections_of, sticky
from worker.report import report_messages
from worker.report.markdown_report import COMMENT_LIMIT, ReportLinks, finding_text
from worker.report.page_links import PageLinks
from worker.report.stored_report import StoredFinding, StoredReport, read_stored
from worker.report.valid_input_messages import offers_of
from worker.store.conclusions import (
    CheckConclusion,
    affects_verdict,
    conclusion_of,
    is_gone,
    unneeded,
    with_current_ignores,
)
from worker.store.records import IgnoreRecord, Policy, RunRecord, RunState

MARK_ROOM = 200


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run that is over, and what people decided.

    ``document`` is its stored report, ``previous`` that of the pull
    request's last run before it.
    """

    run: RunRecord
    document: Mapping[str, Any] | None
    policy: Policy
    ignores: tuple[IgnoreRecord, ...]
    today: date
    links: PageLinks
    previous: Mapping[str, Any] | None = None

    @property
    def addresses(self) -> ReportLinks:
        """Return where readers find the page and its files."""
        run, private = self.run.id, self.run.job.private
        page = self.links.run(run, private)
        return ReportLinks(page, lambda name: self.links.file(run, name, private))


@dataclass(frozen=True, slots=True)
class PullRequestState:
    """The state of a pull request at GitHub: its files, and our comments so far.

    ``texts`` are the head's files that suggestions change.  ``sticky`` tells
    whether our summary comment is there.
    """

    files: Sequence[ChangedFile] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    review_comments: Sequence[PostedComment] = ()
    sticky: bool = False


@dataclass(frozen=True, slots=True)
class Publication:
    """The wanted comments; ``sticky`` is ``None`` where the summary stays as it is, or away."""

    check: CheckRunOutput
    steps: tuple[Step, ...] = ()
    sticky: str | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """A run with a report, as it counts today."""

    reported: ReportedRun
    document: Mapping[str, Any]
    report: StoredReport
    conclusion: CheckConclusion

    @property
    def sections(self) -> list[str]:
        today, ignores = self.reported.today, self.reported.ignores
        return sections_of(self._fixed(), unneeded(self.document, ignores, today))

    def _fixed(self) -> list[StoredFinding]:
        previous = self.reported.previous
        if previous is None:
            return []
        reported = self.reported
        before = with_current_ignores(
            previous, reported.ignores, reported.today, reported.policy.gate
        )
        gone = {
            f["fingerprint"]
            for f in before["findings"]
            if affects_verdict(f) and is_gone(self.document, f["fingerprint"], f["target"])
        }
        return [f for f in read_stored(before).findings if f.fingerprint in gone]


def check_run_output(reported: ReportedRun) -> CheckRunOutput:
    """Return what the check run says; all there is for a run without a pull request.

    Raises ``MachineError`` for a report that is none, ``ValueError`` for a
    run that is not over.
    """
    case = _case(reported)
    return _without_report(reported) if case is None else _examined(case)


def _examined(case: _Case) -> CheckRunOutput:
    reported = case.reported
    said = examined_output(case.report, case.conclusion, reported.addresses, case.sections)
    if reported.run.job.pull is not None:
        return said
    return replace(said, actions=tuple(action for action in said.actions if action != APPLY))


def compose(reported: ReportedRun, pull_state: PullRequestState) -> Publication:
    """Return what should stand in a pull request; raises as :func:`check_run_output`.

    Nothing is said beside the check run where a run was cancelled; after a
    failure of ours, only the summary comment that is there says so.
    """
    case = _case(reported)
    if case is None:
        return Publication(_without_report(reported), sticky=_apology(reported, pull_state))
    plans, rest = _planned(case, pull_state)
    steps = reconcile(_wanted(case, pull_state, plans), pull_state.review_comments)
    told = pull_state.sticky or is_worth_a_comment(case.report)
    return Publication(
        _examined(case),
        steps,
        sticky(case.report, reported.addresses, case.sections, rest) if told else None,
    )


def suggestion_paths(reported: ReportedRun) -> frozenset[str]:
    """Return the head's files that :class:`PullRequestState` should hold the texts of."""
    case = _case(reported)
    found = inline_comments.inline_candidates(case.report) if case else ()
    suggested = {change.path for f in found if (change := report_messages.suggested(f))}
    offered = {f.path for f in found for offer in offers_of(f.evidence) if offer.path == f.path}
    return frozenset(suggested | offered)


def _case(reported: ReportedRun) -> _Case | None:
    state, policy = reported.run.state, reported.policy
    if reported.document is None or state is not RunState.DONE:
        return None
    document = with_current_ignores(
        reported.document, reported.ignores, reported.today, policy.gate
    )
    return _Case(reported, document, read_stored(document), conclusion_of(state, document, policy))


def _without_report(reported: ReportedRun) -> CheckRunOutput:
    run = reported.run
    conclusion = conclusion_of(run.state, None, reported.policy)
    if conclusion is CheckConclusion.CANCELLED:
        return cancelled_output(run.error or messages.STOPPED)
    if run.refused and run.error:
        return refused_output(run.error, reported.addresses.page)
    return failed_output(conclusion, run.id, run.error, reported.addresses.page)


def _apology(reported: ReportedRun, pull_state: PullRequestState) -> str | None:
    run = reported.run
    if not pull_state.sticky or run.state is RunState.CANCELLED:
        return None
    return marked(_without_report(reported).summary, SUMMARY)


def _planned(
    case: _Case, pull_state: PullRequestState
) -> tuple[list[PlannedComment], list[StoredFinding]]:
    """The comments that should stand, and the new findings that find no place among them."""
    diff = Diff.of(pull_state.files)
    found = inline_comments.inline_candidates(case.report)
    standing = {c.fingerprint for c in pull_state.review_comments if not c.resolved}
    # people resolved their threads, and they are open nowhere else
    dismissed = {
        c.fingerprint for c in pull_state.review_comments if c.resolved and not c.ours
    } - standing
    places = {f.fingerprint: _place(f, diff, pull_state.texts) for f in found}
    placeable = [
        f
        for f in found
        if not isinstance(places[f.fingerprint][0], Nowhere) and f.fingerprint not in dismissed
    ]
    most = case.reported.policy.inline_comments
    chosen = inline_comments.select_inline(placeable, most, standing)
    plans = [_plan(f, case, *places[f.fingerprint]) for f in chosen]
    told = {plan.fingerprint for plan in plans} | dismissed
    return plans, [f for f in found if f.fingerprint not in told]


def _place(
    finding: StoredFinding, diff: Diff, texts: Mapping[str, str]
) -> tuple[CommentPosition, str]:
    change = report_messages.suggested(finding)
    text = texts.get(change.path) if change else None
    if change and text is not None:
        button = inline_comments.suggestion_with_button(finding, text)
        if button and diff.replaceable(change.path, change.start_line, change.end_line):
            return diff.place(change.path, change.start_line, change.end_line, text), button
    head = texts.get(finding.path)
    offered = None if head is None else offer_with_button(finding, diff, head)
    if offered is not None:
        return offered
    place = diff.place(finding.path, finding.line, finding.end_line, head)
    return place, inline_comments.suggestion_to_read(finding, text) or offer_to_read(finding)


def _plan(
    finding: StoredFinding, case: _Case, place: CommentPosition, change: str
) -> PlannedComment:
    addresses = case.reported.addresses
    room = COMMENT_LIMIT - MARK_ROOM
    lines = (place.line, place.start_line) if isinstance(place, OnLines) else (None, None)
    path = finding.path if isinstance(place, Nowhere) else place.path
    elsewhere = (path, lines[0]) != (finding.path, finding.end_line)
    head = f"{location_code(finding)}\n\n" if elsewhere else ""
    body = finding_text(finding, case.report, addresses, change, room - 4 * len(head))
    mark = finding_mark(finding.fingerprint)
    return PlannedComment(finding.fingerprint, path, marked(head + body, mark), *lines)


def _wanted(
    case: _Case, pull_state: PullRequestState, plans: Sequence[PlannedComment]
) -> WantedComments:
    """The comments, with what is known of findings that were told before."""
    now = {f.fingerprint: f for f in case.report.findings if f.status is not Status.FIXED}
    previous = (case.reported.previous or {}).get("findings", ())
    targets = {f["fingerprint"]: f["target"] for f in previous}
    there = {comment.fingerprint for comment in pull_state.review_comments}
    reasons = {
        name: why for name in there & now.keys() if (why := _settled_by(now[name], case.report))
    }
    gone = {name for name in there if is_gone(case.document, name, targets.get(name))}
    return WantedComments(plans, there - gone - reasons.keys(), reasons)


def _settled_by(finding: StoredFinding, report: StoredReport) -> str | None:
    ignored = report.ignored.get(finding.fingerprint)
    if ignored is not None:
        return messages.ignored_finding(ignored.get("until"))
    if finding.status is Status.EXISTING:
        return messages.EXISTING
    return None
