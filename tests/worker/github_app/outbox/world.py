"""A pull request at the double of GitHub, a store, and publishers that can be killed."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from requests.adapters import HTTPAdapter

from tests.worker.github_app.publishing.documents import CASE
from worker.github_app.client.app import App
from worker.github_app.client.objects import pull_request
from worker.github_app.context import PublisherContext
from worker.github_app.events.pull_request_events import pull_request_of
from worker.github_app.outbox.outbox_worker import InstallationLimiter, LeaseRenewer, OutboxWorker
from worker.github_app.outbox.task_handlers import HANDLERS
from worker.report.page_links import PageLinks
from worker.settings.operator_settings import GithubSettings, Settings
from worker.store.records import (
    Attempt,
    InstallationRecord,
    Job,
    OutboxTaskKind,
    RepositoryRecord,
    RunOptions,
)
from worker.store.store import Store


class Killed(BaseException):
    """The process is gone."""


class SkippableTime:
    """The real time, and whatever was slept or skipped on top."""

    def __init__(self):
        self.skipped = timedelta()

    def now(self):
        return datetime.now(UTC) + self.skipped

    def sleep(self, seconds):
        self.skipped += timedelta(seconds=seconds)


class MortalStore(Store):
    """A store whose process dies right before its ``dies_at``-th transaction that writes."""

    dies_at = None

    def write(self):
        if self.dies_at is not None:
            self.dies_at -= 1
            if self.dies_at < 0:
                raise Killed
        return super().write()


class MortalTransport(HTTPAdapter):
    """Kills the process at its ``dies_at``-th write to GitHub, before or ``after`` the work."""

    def __init__(self, dies_at, *, after=False):
        super().__init__()
        self._left = dies_at
        self._after = after

    def send(self, request, *arguments, **named):
        self._left -= is_write(request)
        if self._left >= 0:
            return super().send(request, *arguments, **named)
        if self._after:
            self._after = False
            super().send(request, *arguments, **named).close()
        raise Killed


def is_write(request):
    path = urlsplit(request.url).path
    if request.method == "GET" or path.endswith("/access_tokens"):
        return False
    return path != "/graphql" or "mutation" in request.body


def the_case():
    return json.loads(CASE.read_text(encoding="utf-8"))


def findings(document, *kept):
    """The document with only these findings, by their index."""
    found = [document["findings"][index] for index in kept]
    failing = any(f["level"] == "failure" for f in found)
    verdict = "failure" if failing else "neutral" if found else "success"
    return {**document, "findings": found, "verdict": verdict}


def prepare_nothing(task, context):
    """A clone is not needed here."""
    with context.store.write() as unit:
        unit.runs.prepared(task.task.run)


class PublisherWorld:
    """One installation; every pull request adds the case's files to a repository of its own."""

    def __init__(self, github, folder: Path, **settings) -> None:
        self.github = github
        self.clock = SkippableTime()
        self.url = f"sqlite:///{folder / 'store.db'}"
        self.store = Store(self.url, clock=self.clock.now)
        section = GithubSettings(**{**github.settings(), "pause": 0.0, **settings})
        app = {"public_url": "https://assayer.example"}
        self.settings = Settings(github=section, app=app)
        self.app = self.app_through()
        self.case = the_case()
        self.links = PageLinks(
            "https://assayer.example", None, 604_800, lambda: self.clock.now().timestamp()
        )
        number = github.installation.id
        with self.store.write() as unit:
            unit.installations.see(InstallationRecord(number, "acme"))

    def close(self):
        self.app.close()
        self.store.close()

    # ------------------------------------------------------------- at GitHub

    def pull(self, name="cafe", **more):
        """A new repository with a pull request that adds the case's files."""
        repo = self.github.repository(name)
        with self.store.write() as unit:
            unit.installations.see_repository(
                RepositoryRecord(
                    repo.id, repo.full_name, False, self.github.installation.id, "main"
                )
            )
        return repo.pull("feature", files=dict(self.case["texts"]), **more)

    # --------------------------------------------------------------- our runs

    def ask(self, pull, *, head=None, options=None, key=None, number=...):
        repo = pull.repository
        job = Job(
            repository=repo.full_name,
            base=pull.base,
            head=head or pull.head,
            reason="push",
            private=False,
            fork=False,
            repository_id=repo.id,
            installation=self.github.installation.id,
            pull=pull.number if number is ... else number,
            options=options or RunOptions(),
            key=key,
        )
        with self.store.write() as unit:
            run = unit.runs.ask(job, supersede=True)
        assert run is not None
        return run

    def see(self, pull):
        """Hear of a pull request as it is now."""
        repo = pull.repository
        api = self.app.installation(self.github.installation.id, repo.id, {"pull_requests": "read"})
        with self.store.write() as unit:
            unit.pulls.see(pull_request_of(pull_request(api, repo.full_name, pull.number), repo.id))

    def start(self, run) -> Attempt:
        with self.store.write() as unit:
            attempt = unit.runs.start(run.id, lease=600, limit=3)
        assert isinstance(attempt, Attempt), attempt
        return attempt

    def finish(self, run, document):
        """Let a worker examine a run and find what the document says."""
        attempt = self.start(run)
        with self.store.write() as unit:
            assert unit.runs.finish(attempt, document)

    def checked(self, pull, document, **job):
        """Ask, announce, examine and publish."""
        run = self.ask(pull, **job)
        self.drive()
        self.finish(run, document)
        self.drive()
        return self.get(run)

    def get(self, run):
        with self.store.read() as unit:
            return unit.runs.get(run.id)

    # ------------------------------------------------------------- publishers

    def app_through(self, transport=None):
        section, clock = self.settings.github, self.clock
        return App(section, clock=clock.now, sleep=clock.sleep, transport=transport)

    @contextmanager
    def clerk(self, store=None, transport=None):
        """A publisher's thread of its own; one with a ``transport`` has its own tokens."""
        app = self.app if transport is None else self.app_through(transport)
        publisher_context = PublisherContext(
            settings=self.settings,
            store=store or self.store,
            app=app,
            blobs=None,
            notify=None,
            links=self.links,
            stop=threading.Event(),
            now=self.clock.now,
            sleep=self.clock.sleep,
        )
        handlers = {**HANDLERS, OutboxTaskKind.PREPARE: prepare_nothing}
        yield OutboxWorker(
            publisher_context,
            LeaseRenewer(publisher_context.store, 60),
            InstallationLimiter(4),
            handlers=handlers,
        )
        if app is not self.app:
            app.close()

    def drive(self, most=60, step=31, **how):
        """Do all errands, skipping the time between them."""
        with self.clerk(**how) as clerk:
            for _ in range(most):
                while clerk.serve():
                    pass
                if not self.waiting():
                    return
                self.clock.skipped += timedelta(seconds=step)
        raise AssertionError(f"still waiting: {self.waiting()}")

    def die(self, **how):
        """Run a publisher until it is killed; false where it had nothing left to do."""
        try:
            self.drive(**how)
        except Killed:
            self.clock.skipped += timedelta(seconds=61)
            return True
        return False

    def waiting(self):
        with self.store.read() as unit:
            return unit.outbox_tasks.count()["waiting"]

    def dead(self):
        with self.store.read() as unit:
            return unit.outbox_tasks.count()["dead"]
