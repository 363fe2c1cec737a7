"""The check run that says, within seconds, that a commit will be tested."""

from __future__ import annotations

from dataclasses import replace

from worker.github import checks
from worker.github.api import Api
from worker.publishing.desk import Desk
from worker.publishing.place import CHECK_PERMISSIONS, Place, app_number, place_of
from worker.store import ErrandRecord, RunRecord, RunState

NAME = "Assayer"
WAITING = checks.Output(
    "Waits for its turn", "The change will be tested as soon as a worker is free."
)
STARTED = checks.Output("Testing", "The change is being tested.")


def announce(errand: ErrandRecord, desk: Desk) -> None:
    """Put a run's check run on its commit, once."""
    run = found_run(errand, desk)
    place = None if run is None else place_of(run, desk)
    if run is not None and place is not None and not run.state.over:
        announced(run, place, desk)


def found_run(errand: ErrandRecord, desk: Desk) -> RunRecord | None:
    """Return the run that an errand is about, as it stands now.

    It is private where its repository has become so: links to it are signed.
    """
    if errand.errand.run is None:
        return None
    with desk.store.look() as books:
        run = books.runs.get(errand.errand.run)
        number = None if run is None else run.job.repository_id
        known = None if number is None else books.installations.repository(number)
    if run is None or known is None or not known.private:
        return run
    return replace(run, job=replace(run.job, private=True))


def announced(run: RunRecord, place: Place, desk: Desk) -> int:
    """Return the number of a run's check run, which is made where there is none."""
    if run.check_run is not None:
        return run.check_run
    api = desk.api(place.installation, place.repository, **CHECK_PERMISSIONS)

    def send() -> str:
        return str(checks.create(api, place.name, place.head, _first(run, desk)).id)

    made = desk.pen(place.installation).create(
        check_key(run), send, lambda: standing_check(run, place, desk, api)
    )
    return _kept(run, int(made), desk)


def announced_before(run: RunRecord, place: Place, desk: Desk) -> int | None:
    """Return the number of the check run that an earlier try may have made; makes none."""
    if run.check_run is not None:
        return run.check_run
    with desk.store.look() as books:
        writing = books.writings.get(check_key(run))
    if writing is None:
        return None
    api = desk.api(place.installation, place.repository, **CHECK_PERMISSIONS)
    made = writing.made or standing_check(run, place, desk, api)
    return None if made is None else _kept(run, int(made), desk)


def check_key(run: RunRecord) -> str:
    """Return under what name the making of a check run is kept."""
    return f"check-run:{run.id}"


def standing_check(run: RunRecord, place: Place, desk: Desk, api: Api) -> str | None:
    """Find a run's check run at GitHub, by the run's id in it."""
    found = checks.of_ref(api, place.name, place.head, name=NAME, app=app_number(desk))
    return next((str(check.id) for check in found if check.external_id == run.id), None)


def _first(run: RunRecord, desk: Desk) -> checks.Check:
    running = run.state is RunState.RUNNING
    return checks.Check(
        name=NAME,
        status="in_progress" if running else "queued",
        external_id=run.id,
        details_url=desk.links.run(run.id, run.job.private),
        started_at=run.started_at if running else None,
        output=STARTED if running else WAITING,
    )


def _kept(run: RunRecord, check_run: int, desk: Desk) -> int:
    with desk.store.begin() as books:
        books.runs.announced(run.id, check_run)
    return check_run
