"""PREPARE: the clone that a run is examined on, made where the token is.

The head is fetched by its name from the base repository, so that a fork may
be private or gone.  What the repository's maintainers decide is read here
too, from the base branch.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from worker.changes.remote_clone import Clone, CloneTooLargeError, RemoteOrigin, clone
from worker.errors import MachineError, UsageError
from worker.github_app.client.errors import GithubError
from worker.github_app.context import TaskContext
from worker.settings.repository_configuration import Configuration, find_configuration
from worker.store.blobs import clone_key, pack
from worker.store.records import OutboxTaskRecord, Policy, RunRecord, RunState
from worker.system.temporary_files import owned_folder

CONTENTS = {"contents": "read"}

_log = logging.getLogger(__name__)


def prepare(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Clone what a run needs and let it be examined.

    Raises ``GithubError`` where the clone may succeed later.  A run whose
    clone can never be had, or whose base branch is misconfigured, is ended
    with the words that its people need.
    """
    run = _wanted(task, context)
    if run is None:
        return
    assert run.job.installation is not None
    token = context.app.token(run.job.installation, run.job.repository_id, CONTENTS)
    github = context.settings.github
    url = f"{github.web_url}/{run.job.repository}.git"
    origin = RemoteOrigin(url, token.token.get_secret_value(), loopback=github.local)
    try:
        policy = _cloned(run, origin, context)
    except UsageError as error:
        _end(run, context, _one_line(error), refused=True)
    except CloneTooLargeError as error:
        _end(run, context, _one_line(error))
    except MachineError as error:
        if task.attempts + 1 < context.settings.github.attempts:
            raise GithubError(f"{run.job.repository}: {error.message}") from None
        _end(run, context, f"its code could not be fetched: {_one_line(error)}")
    else:
        _hand_over(run, policy, context)


def policy_of(configuration: Configuration) -> Policy:
    """Return what maintainers decide about our answers."""
    return Policy(
        gate=configuration.gate,
        fail_open=configuration.fail_open,
        inline_comments=configuration.inline_comments,
        commands=configuration.commands,
        inputs=configuration.inputs,
    )


def _wanted(task: OutboxTaskRecord, context: TaskContext) -> RunRecord | None:
    """The run, under its repository's name of today; ``None``: it waits for no clone."""
    with context.store.read() as unit:
        run = unit.runs.get(task.task.run or "")
        if run is None or run.state is not RunState.PREPARING or run.job.repository_id is None:
            return None
        found = unit.installations.repository(run.job.repository_id)
    name = run.job.repository if found is None else found.full_name
    return replace(run, job=replace(run.job, repository=name))


def _cloned(run: RunRecord, origin: RemoteOrigin, context: TaskContext) -> Policy:
    """Put the clone among the blobs; return what its base branch decides."""
    head = run.job.head
    if head is None:
        raise UsageError("the run names no commit")
    with owned_folder("prepared") as folder:
        cloned = clone(origin, run.job.base or head, head, folder / "clone")
        policy = policy_of(_configuration(cloned))
        archive = folder / "clone.tar"
        pack(cloned.folder, archive)
        context.blobs.put_file(clone_key(run.id), archive)
    return policy


def _configuration(cloned: Clone) -> Configuration:
    try:
        return find_configuration(cloned.folder, cloned.base) or Configuration()
    except UsageError as error:
        raise UsageError(f"Assayer's configuration on the base branch is wrong: {error}") from None


def _hand_over(run: RunRecord, policy: Policy, context: TaskContext) -> None:
    with context.store.write() as unit:
        unit.runs.decide(run.id, policy)
        ready = unit.runs.prepared(run.id)
        fresh = unit.runs.get(run.id)
    if ready and fresh is not None:
        context.notify(fresh)
    else:
        _log.info("run %s was ended while its code was fetched", run.id)
        context.blobs.remove(clone_key(run.id))


def _end(run: RunRecord, context: TaskContext, words: str, *, refused: bool = False) -> None:
    _log.info("run %s is ended: %s", run.id, words)
    with context.store.write() as unit:
        unit.runs.stop(run.id, words, refused=refused)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
