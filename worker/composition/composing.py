"""From what is known of a run to all that should stand at GitHub: the one way in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from analyzers.vocabulary import Status
from worker.composition import selection, suggestions
from worker.composition.amending import amended, counts, is_gone, unneeded
from worker.composition.check_output import (
    APPLY,
    CheckOutput,
    cancelled_output,
    check_output,
    failed_output,
    failed_summary,
    refused_output,
    refused_summary,
)
from worker.composition.conclusion import CheckConclusion, conclusion_of
from worker.composition.marks import SUMMARY, finding_mark, marked
from worker.composition.offers import offer_to_read, offer_with_button
from worker.composition.placement import ChangedFile, Diff, Nowhere, OnLines, Place
from worker.composition.reconciling import Planned, Standing, Step, Wanted, reconcile
from worker.composition.signed import Signed
from worker.composition.sticky import is_worth_a_comment, sections_of, sticky
from worker.report import escape, wording
from worker.report.markdown import COMMENT_LIMIT, Addresses, finding_text
from worker.report.stored import StoredFinding, StoredReport, read_stored
from worker.report.valid_inputs import offers_of
from worker.store.records import Ignore, Policy, RunRecord, RunState

MARK_ROOM = 200


@dataclass(frozen=True, slots=True)
class Occasion:
    """A run that is over, and what people decided.

    ``document`` is its stored report, ``previous`` that of the pull
    request's last run before it.
    """

    run: RunRecord
    document: Mapping[str, Any] | None
    policy: Policy
    ignores: tuple[Ignore, ...]
    today: date
    links: Signed
    previous: Mapping[str, Any] | None = None

    @property
    def addresses(self) -> Addresses:
        """Where readers find the page and its files."""
        run, private = self.run.id, self.run.job.private
        page = self.links.run(run, private)
        return Addresses(page, lambda name: self.links.file(run, name, private))


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands at GitHub: the pull request's files, and what we said so far.

    ``texts`` are the head's files that suggestions change.  ``sticky`` tells
    whether our summary comment is there; ``may_resolve`` whether threads may
    be resolved.
    """

    files: Sequence[ChangedFile] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    remarks: Sequence[Standing] = ()
    sticky: bool = False
    may_resolve: bool = True


@dataclass(frozen=True, slots=True)
class Publication:
    """What should stand: ``sticky`` is ``None`` where the comment stays as it is, or away."""

    check: CheckOutput
    steps: tuple[Step, ...] = ()
    sticky: str | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """An occasion with a report, as it counts today."""

    occasion: Occasion
    document: Mapping[str, Any]
    report: StoredReport
    conclusion: CheckConclusion

    @property
    def sections(self) -> list[str]:
        today, ignores = self.occasion.today, self.occasion.ignores
        return sections_of(self._fixed(), unneeded(self.document, ignores, today))

    def _fixed(self) -> list[StoredFinding]:
        """What the last run found and this one knows to be gone."""
        previous = self.occasion.previous
        if previous is None:
            return []
        occasion = self.occasion
        before = amended(previous, occasion.ignores, occasion.today, occasion.policy.gate)
        gone = {
            f["fingerprint"]
            for f in before["findings"]
            if counts(f) and is_gone(self.document, f["fingerprint"], f["target"])
        }
        return [f for f in read_stored(before).findings if f.fingerprint in gone]


def outcome(occasion: Occasion) -> CheckOutput:
    """Return what the check run says; all there is for a run without a pull request.

    Raises ``MachineError`` for a report that is none, ``ValueError`` for a
    run that is not over.
    """
    case = _case(occasion)
    return _without_report(occasion) if case is None else _examined(case)


def _examined(case: _Case) -> CheckOutput:
    occasion = case.occasion
    said = check_output(case.report, case.conclusion, occasion.addresses, case.sections)
    if occasion.run.job.pull is not None:
        return said
    return replace(said, actions=tuple(action for action in said.actions if action != APPLY))


def compose(occasion: Occasion, scene: Scene) -> Publication:
    """Return what should stand in a pull request; raises as :func:`outcome`.

    Nothing is said beside the check run where a run was cancelled; after a
    failure of ours, only the summary comment that is there says so.
    """
    case = _case(occasion)
    if case is None:
        return Publication(_without_report(occasion), sticky=_apology(occasion, scene))
    plans, rest = _planned(case, scene)
    steps = reconcile(_wanted(case, scene, plans), scene.remarks, may_resolve=scene.may_resolve)
    told = scene.sticky or is_worth_a_comment(case.report)
    return Publication(
        _examined(case),
        steps,
        sticky(case.report, occasion.addresses, case.sections, rest) if told else None,
    )


def suggestion_paths(occasion: Occasion) -> frozenset[str]:
    """Return the head's files that :class:`Scene` should hold the texts of."""
    case = _case(occasion)
    found = selection.remarkable(case.report) if case else ()
    suggested = {change.path for f in found if (change := wording.suggested(f))}
    offered = {f.path for f in found for offer in offers_of(f.evidence) if offer.path == f.path}
    return frozenset(suggested | offered)


def _case(occasion: Occasion) -> _Case | None:
    state, policy = occasion.run.state, occasion.policy
    if occasion.document is None or state is not RunState.DONE:
        return None
    document = amended(occasion.document, occasion.ignores, occasion.today, policy.gate)
    return _Case(occasion, document, read_stored(document), conclusion_of(state, document, policy))


def _without_report(occasion: Occasion) -> CheckOutput:
    run = occasion.run
    conclusion = conclusion_of(run.state, None, occasion.policy)
    if conclusion is CheckConclusion.CANCELLED:
        return cancelled_output(run.error or "nobody waits for it any more")
    if run.refused and run.error:
        return refused_output(run.error, occasion.addresses)
    return failed_output(conclusion, run.id, run.error, occasion.addresses)


def _apology(occasion: Occasion, scene: Scene) -> str | None:
    run = occasion.run
    if not scene.sticky or run.state is RunState.CANCELLED:
        return None
    if run.refused and run.error:
        return marked(refused_summary(run.error, occasion.addresses), SUMMARY)
    return marked(failed_summary(run.id, run.error, occasion.addresses), SUMMARY)


def _planned(case: _Case, scene: Scene) -> tuple[list[Planned], list[StoredFinding]]:
    """The remarks that should stand, and the new findings that find no place among them."""
    diff = Diff.of(scene.files)
    found = selection.remarkable(case.report)
    dismissed = _dismissed(scene.remarks)
    places = {f.fingerprint: _place(f, diff, scene.texts) for f in found}
    placeable = [
        f
        for f in found
        if not isinstance(places[f.fingerprint][0], Nowhere) and f.fingerprint not in dismissed
    ]
    standing = {remark.fingerprint for remark in scene.remarks if not remark.resolved}
    most = case.occasion.policy.inline_comments
    chosen = selection.selected(placeable, most, standing)
    plans = [_plan(f, case, *places[f.fingerprint]) for f in chosen]
    told = {plan.fingerprint for plan in plans} | dismissed
    return plans, [f for f in found if f.fingerprint not in told]


def _dismissed(remarks: Sequence[Standing]) -> frozenset[str]:
    """The findings whose threads people resolved, and that are open nowhere else."""
    closed = {r.fingerprint for r in remarks if r.resolved and not r.ours}
    return frozenset(closed - {r.fingerprint for r in remarks if not r.resolved})


def _place(finding: StoredFinding, diff: Diff, texts: Mapping[str, str]) -> tuple[Place, str]:
    """Where to tell a finding, and its suggestion as Markdown for that place."""
    change = wording.suggested(finding)
    text = texts.get(change.path) if change else None
    if change and text is not None:
        button = suggestions.with_button(finding, text)
        if button and diff.replaceable(change.path, change.start_line, change.end_line):
            return diff.place(change.path, change.start_line, change.end_line, text), button
    head = texts.get(finding.path)
    offered = None if head is None else offer_with_button(finding, diff, head)
    if offered is not None:
        return offered
    place = diff.place(finding.path, finding.line, finding.end_line, head)
    return place, suggestions.to_read(finding, text) or offer_to_read(finding)


def _plan(finding: StoredFinding, case: _Case, place: Place, change: str) -> Planned:
    addresses = case.occasion.addresses
    room = COMMENT_LIMIT - MARK_ROOM
    lines = (place.line, place.start_line) if isinstance(place, OnLines) else (None, None)
    path = finding.path if isinstance(place, Nowhere) else place.path
    head = ""
    if (path, lines[0]) != (finding.path, finding.end_line):
        head = escape.code(wording.clipped(wording.place(finding), 300)) + "\n\n"
    body = finding_text(finding, case.report, addresses, change, room - 4 * len(head))
    mark = finding_mark(finding.fingerprint)
    return Planned(finding.fingerprint, path, marked(head + body, mark), *lines)


def _wanted(case: _Case, scene: Scene, plans: Sequence[Planned]) -> Wanted:
    """The remarks, with what is known of findings that were told before."""
    now = {f.fingerprint: f for f in case.report.findings if f.status is not Status.FIXED}
    previous = (case.occasion.previous or {}).get("findings", ())
    targets = {f["fingerprint"]: f["target"] for f in previous}
    there = {remark.fingerprint for remark in scene.remarks}
    reasons = {
        name: why for name in there & now.keys() if (why := _settled_by(now[name], case.report))
    }
    gone = {name for name in there if is_gone(case.document, name, targets.get(name))}
    return Wanted(plans, there - gone - reasons.keys(), reasons)


def _settled_by(finding: StoredFinding, report: StoredReport) -> str | None:
    """Why a finding that still comes need not be told on its lines, if so."""
    ignored = report.ignored.get(finding.fingerprint)
    if ignored is not None:
        until = ignored.get("until")
        end = f" until {escape.plain(str(until))}" if until else ""
        return f"This is ignored{end} and blocks nothing."
    if finding.status is Status.EXISTING:
        return "This counts as existing and blocks nothing."
    return None
