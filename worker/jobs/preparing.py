"""PREPARE: the clone that a run is examined on, made where the token is.

The head is fetched by its name from the base repository, so that a fork may
be private or gone.  What the repository's maintainers decide is read here
too, from the base branch.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from worker.changes.cloning import Cloned, clone
from worker.changes.remote import Origin, TooLargeError
from worker.errors import MachineError, UsageError
from worker.github.errors import GithubError
from worker.jobs.packing import clone_key, pack
from worker.publishing.desk import Desk
from worker.settings.configuration import Configuration, find_configuration
from worker.store.records import ErrandRecord, Job, Policy, RunRecord, RunState
from worker.temporary import owned_folder

CONTENTS = {"contents": "read"}

_log = logging.getLogger(__name__)


def prepare(errand: ErrandRecord, desk: Desk) -> None:
    """Clone what a run needs and let it be examined.

    Raises ``GithubError`` where the clone may succeed later.  A run whose
    clone can never be had, or whose base branch is misconfigured, is ended
    with the words that its people need.
    """
    run = _wanted(errand, desk)
    if run is None:
        return
    origin = _origin(run.job, desk)
    try:
        policy = _cloned(run, origin, desk)
    except UsageError as error:
        _end(run, desk, _one_line(error), refused=True)
    except TooLargeError as error:
        _end(run, desk, _one_line(error))
    except MachineError as error:
        if errand.attempts + 1 < desk.settings.github.attempts:
            raise GithubError(f"{run.job.repository}: {error.message}") from None
        _end(run, desk, f"its code could not be fetched: {_one_line(error)}")
    else:
        _hand_over(run, policy, desk)


def policy_of(configuration: Configuration) -> Policy:
    """What maintainers decide about our answers."""
    return Policy(
        gate=configuration.gate,
        fail_open=configuration.fail_open,
        inline_comments=configuration.inline_comments,
        commands=configuration.commands,
        inputs=configuration.inputs,
    )


def _wanted(errand: ErrandRecord, desk: Desk) -> RunRecord | None:
    """The run, under its repository's name of today; ``None``: it waits for no clone."""
    with desk.store.look() as books:
        run = books.runs.get(errand.errand.run or "")
        if run is None or run.state is not RunState.PREPARING or run.job.repository_id is None:
            return None
        found = books.installations.repository(run.job.repository_id)
    name = run.job.repository if found is None else found.full_name
    return replace(run, job=replace(run.job, repository=name))


def _cloned(run: RunRecord, origin: Origin, desk: Desk) -> Policy:
    """Put the clone among the blobs; return what its base branch decides."""
    head = run.job.head
    if head is None:
        raise UsageError("the run names no commit")
    with owned_folder("prepared") as folder:
        cloned = clone(origin, run.job.base or head, head, folder / "clone")
        policy = policy_of(_configuration(cloned))
        archive = folder / "clone.tar"
        pack(cloned.folder, archive)
        desk.blobs.put_file(clone_key(run.id), archive)
    return policy


def _origin(job: Job, desk: Desk) -> Origin:
    assert job.installation is not None
    token = desk.app.token(job.installation, job.repository_id, CONTENTS)
    github = desk.settings.github
    url = f"{github.web_url}/{job.repository}.git"
    return Origin(url, token.token.get_secret_value(), loopback=github.local)


def _configuration(cloned: Cloned) -> Configuration:
    try:
        return find_configuration(cloned.folder, cloned.base) or Configuration()
    except UsageError as error:
        raise UsageError(f"Assayer's configuration on the base branch is wrong: {error}") from None


def _hand_over(run: RunRecord, policy: Policy, desk: Desk) -> None:
    with desk.store.begin() as books:
        books.runs.decide(run.id, policy)
        ready = books.runs.prepared(run.id)
        fresh = books.runs.get(run.id)
    if ready and fresh is not None:
        desk.ring(fresh)
    else:
        _log.info("run %s was ended while its code was fetched", run.id)
        desk.blobs.remove(clone_key(run.id))


def _end(run: RunRecord, desk: Desk, words: str, *, refused: bool = False) -> None:
    _log.info("run %s is ended: %s", run.id, words)
    with desk.store.begin() as books:
        books.runs.stop(run.id, words, refused=refused)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
