"""Making GitHub agree with the database about a run that is over.

The check run is completed first, since a merge may wait for it and nothing
else; then come annotations, remarks and the summary comment.  Every step
may be taken again, and the errand is done only after the last one: a crash
between two of them leaves the rest to the next try.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worker.composition.auditing import audit_issue
from worker.composition.carrying import carried, is_partial
from worker.composition.check_output import CheckOutput, cancelled_output, failed_output
from worker.composition.composing import Occasion, Scene, compose, outcome, suggestion_paths
from worker.composition.conclusion import CheckConclusion, conclusion_of
from worker.composition.placement import ChangedFile
from worker.errors import MachineError
from worker.github import contents, pulls
from worker.github.errors import TooLargeError
from worker.publishing.announcing import announced_before, found_run
from worker.publishing.concluding import conclude, is_concluded
from worker.publishing.currency import Currency, StaleError, currency, ensure_current
from worker.publishing.desk import Desk
from worker.publishing.issuing import report_audit
from worker.publishing.noticing import notice_head
from worker.publishing.place import CONTENT_PERMISSIONS, PULL_PERMISSIONS, Place, place_of
from worker.publishing.remarking import Conversation, Remarker
from worker.publishing.sharing import PASSING, held_back, others_of, tell_others_again
from worker.publishing.summarizing import Summary
from worker.store import Errand, ErrandKind, ErrandRecord, RunRecord, RunState
from worker.store.books import Books
from worker.store.lanes import lane_of

SUPERSEDED = "a newer commit or run has taken its place"

_log = logging.getLogger(__name__)


def publish(errand: ErrandRecord, desk: Desk) -> None:
    """Publish what became of a run, if it is over and still waited for.

    Reruns of a part wait for the run of all of their commit, and are told
    again after it.
    """
    run = found_run(errand, desk)
    place = None if run is None else place_of(run, desk)
    if run is None or place is None or not run.state.over:
        return
    _publish(run, place, desk)
    with desk.store.begin() as books:
        _tell_parts_again(run, place, books)
        tell_others_again(errand, run, books)


def _publish(run: RunRecord, place: Place, desk: Desk) -> None:
    if run.state is RunState.CANCELLED:
        _withdraw(run, place, cancelled_output(run.error or SUPERSEDED), desk)
        return
    standing = currency(run, place, desk)
    if standing is Currency.STALE:
        _withdraw(run, place, cancelled_output(SUPERSEDED), desk)
        notice_head(place, desk)
    elif not _waits_for_whole(run, desk):
        _tell(_occasion(run, desk), place, standing, desk)


def _tell(occasion: Occasion, place: Place, standing: Currency, desk: Desk) -> None:
    run = occasion.run
    output = _shared(_outcome(occasion, place, desk), run, desk)
    if output is None:
        return
    conclude(run, place, output, desk)
    if place.pull is not None and standing is Currency.CURRENT:
        _converse(occasion, place, place.pull, desk)
    if place.pull is None and run.job.options.everything and occasion.document is not None:
        found = audit_issue(occasion.document, occasion.ignores, occasion.today, occasion.addresses)
        report_audit(found, place, desk)


def apologise(errand: ErrandRecord, desk: Desk, incident: str) -> None:
    """Finish the check run of a run that cannot be published, where it stands unfinished."""
    run = found_run(errand, desk)
    place = None if run is None else place_of(run, desk)
    if run is not None and place is not None:
        with desk.store.begin() as books:
            policy = books.runs.policy(run.id)
            tell_others_again(errand, run, books)
        nothing = Occasion(run, None, policy, (), desk.now().date(), desk.links)
        conclusion = conclusion_of(RunState.FAILED, None, policy)
        _withdraw(run, place, failed_output(conclusion, incident, None, nothing.addresses), desk)


def _withdraw(run: RunRecord, place: Place, output: CheckOutput, desk: Desk) -> None:
    """Finish a check run that is there and unfinished; say nothing else."""
    check_run = announced_before(run, place, desk)
    if check_run is not None and not is_concluded(place, check_run, desk):
        conclude(replace(run, check_run=check_run), place, output, desk)


def _outcome(occasion: Occasion, place: Place, desk: Desk) -> CheckOutput:
    """What the check run says; an apology where even that breaks."""
    try:
        return outcome(occasion)
    except Exception:
        run = occasion.run
        conclusion = conclusion_of(RunState.FAILED, None, occasion.policy)
        apology = failed_output(conclusion, run.id, None, occasion.addresses)
        conclude(run, place, apology, desk)
        raise


def _shared(output: CheckOutput, run: RunRecord, desk: Desk) -> CheckOutput | None:
    """The output beside those of pull requests with the same head; ``None``: one is unfinished.

    Then it is told when that one is.
    """
    with desk.store.look() as books:
        others = others_of(run, books)
    if any(not other.state.over for other in others):
        return None if output.conclusion in PASSING else output
    told = {o.job.pull: _conclusion(o, desk) for o in others if o.job.pull is not None}
    return held_back(output, told)


def _conclusion(run: RunRecord, desk: Desk) -> CheckConclusion:
    """How another run concludes; one whose report cannot be read asks for action."""
    try:
        return outcome(_occasion(run, desk)).conclusion
    except MachineError:
        return CheckConclusion.ACTION_REQUIRED


def _occasion(run: RunRecord, desk: Desk) -> Occasion:
    with desk.store.look() as books:
        earlier = _earlier(run, books)
        document = books.runs.report(run.id)
        return Occasion(
            run=run,
            document=document and carried(document, _whole(run, books), run.job.options),
            policy=books.runs.policy(run.id),
            ignores=books.ignores.of(run.job.repository_id or 0),
            today=desk.now().date(),
            links=desk.links,
            previous=None if earlier is None else books.runs.report(earlier.id),
        )


def _earlier(run: RunRecord, books: Books) -> RunRecord | None:
    """The last run of the pull request before this one that has a report."""
    if run.job.pull is None or run.job.repository_id is None:
        return None
    others = books.runs.of_pull(run.job.repository_id, run.job.pull)
    before = (r for r in others if r.created_at < run.created_at and r.state is RunState.DONE)
    return next(before, None)


def _whole(run: RunRecord, books: Books) -> Mapping[str, Any] | None:
    """The report of the last run of the same commit that tested everything."""
    if not is_partial(run.job.options):
        return None
    found = next((r for r in _wholes(run, books) if r.state is RunState.DONE), None)
    return None if found is None else books.runs.report(found.id)


def _waits_for_whole(run: RunRecord, desk: Desk) -> bool:
    """Whether a rerun of a part was quicker than the run of all."""
    if not is_partial(run.job.options):
        return False
    with desk.store.look() as books:
        wholes = _wholes(run, books)
    done = any(other.state is RunState.DONE for other in wholes)
    return not done and any(not other.state.over for other in wholes)


def _wholes(run: RunRecord, books: Books) -> tuple[RunRecord, ...]:
    """The runs of the same commits and pull request that test everything, newest first.

    One against another base branch tested something else.
    """
    found = (r for r in _siblings(run, books) if r.job.base == run.job.base)
    return tuple(r for r in found if not is_partial(r.job.options))


def _siblings(run: RunRecord, books: Books) -> tuple[RunRecord, ...]:
    job = run.job
    if job.repository_id is None or job.head is None:
        return ()
    there = books.runs.of_head(job.repository_id, job.head)
    return tuple(r for r in there if r.id != run.id and r.job.pull == job.pull)


def _tell_parts_again(run: RunRecord, place: Place, books: Books) -> None:
    """Ask for the publication of reruns that take something over from this run."""
    if is_partial(run.job.options):
        return
    for part in _siblings(run, books):
        if is_partial(part.job.options) and part.state is RunState.DONE:
            key = f"publish:{part.id}:after:{run.id}"
            lane = lane_of(part.job)
            books.errands.add(
                Errand(ErrandKind.PUBLISH, place.installation, lane, key, run=part.id)
            )


# ------------------------------------------------------------ pull requests


def _converse(occasion: Occasion, place: Place, pull: int, desk: Desk) -> None:
    """Remarks and the summary comment, for as long as the head stays where it is."""

    def check() -> None:
        ensure_current(occasion.run, place, desk)

    remarker = Remarker(place, pull, desk, check)
    summary = Summary(place, pull, desk, check)
    try:
        there, comment = remarker.conversation(), summary.standing()
        scene = _scene(occasion, place, there, desk, sticky=comment is not None)
        publication = compose(occasion, scene)
        unplaced = remarker.take(publication.steps, there)
        if unplaced:
            publication = compose(occasion, _without(scene, unplaced, occasion))
        if publication.sticky is not None:
            summary.say(publication.sticky, comment)
    except StaleError:
        _log.info("the head of pull request %d has moved: no more is said of this run", pull)


def _scene(
    occasion: Occasion, place: Place, there: Conversation, desk: Desk, *, sticky: bool
) -> Scene:
    api = desk.api(place.installation, place.repository, **CONTENT_PERMISSIONS)
    found = {
        path: contents.text(api, place.name, path, place.head)
        for path in sorted(suggestion_paths(occasion))
    }
    return Scene(
        files=_files(place, desk),
        texts={path: text for path, text in found.items() if text is not None},
        remarks=there.standing,
        sticky=sticky,
    )


def _files(place: Place, desk: Desk) -> tuple[ChangedFile, ...]:
    """The files of the pull request, as many as GitHub lists; none where it lists none."""
    assert place.pull is not None
    api = desk.api(place.installation, place.repository, **PULL_PERMISSIONS)
    try:
        files = pulls.files(api, place.name, place.pull)
    except TooLargeError as error:
        _log.info("all is told in the summary: %s", error.message)
        return ()
    return tuple(ChangedFile(file.filename, file.status, file.patch) for file in files)


def _without(scene: Scene, unplaced: tuple[str, ...], occasion: Occasion) -> Scene:
    """The scene as if the files of findings that found no place were not changed."""
    findings = (occasion.document or {}).get("findings", ())
    paths = {f["path"] for f in findings if f["fingerprint"] in unplaced}
    return replace(scene, files=[file for file in scene.files if file.path not in paths])
