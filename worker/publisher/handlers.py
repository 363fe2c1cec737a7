"""Who does what: the one list of errands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worker.commands import buttons, comments
from worker.jobs.audit import audit
from worker.jobs.preparing import prepare
from worker.jobs.redelivery import redeliver
from worker.publishing.announcing import announce
from worker.publishing.desk import Desk
from worker.publishing.progressing import progress
from worker.publishing.publishing import apologise, publish
from worker.store import ErrandKind, ErrandRecord

Handler = Callable[[ErrandRecord, Desk], None]
LastWords = Callable[[ErrandRecord, Desk, str], None]


def _never_prepared(errand: ErrandRecord, desk: Desk, incident: str) -> None:
    """Fail a run whose code cannot be had, so that its check run is finished."""
    if errand.errand.run is not None:
        with desk.store.begin() as books:
            said = f"its code could not be fetched (incident {incident})"
            books.runs.stop(errand.errand.run, said)


HANDLERS: Mapping[ErrandKind, Handler] = {
    ErrandKind.ANNOUNCE: announce,
    ErrandKind.PREPARE: prepare,
    ErrandKind.COMMAND: comments.command,
    ErrandKind.BUTTON: buttons.press,
    ErrandKind.RERUN: buttons.check_again,
    ErrandKind.PUBLISH: publish,
    ErrandKind.PROGRESS: progress,
    ErrandKind.AUDIT: audit,
    ErrandKind.REDELIVER: redeliver,
}

LAST_WORDS: Mapping[ErrandKind, LastWords] = {
    ErrandKind.PREPARE: _never_prepared,
    ErrandKind.COMMAND: comments.apologise,
    ErrandKind.BUTTON: buttons.apologise,
    ErrandKind.PUBLISH: apologise,
}
"""What is said, with an incident's id, when an errand of a kind is given up."""
