"""People at the double of GitHub who write comments and press buttons, and what we hear of it."""

import hashlib
from contextlib import contextmanager

from sqlalchemy import update

from tests.worker.github_app.outbox.world import PublisherWorld, findings, the_case
from worker.github_app.outbox.delivery_dispatch import dispatch
from worker.store.records import Delivery
from worker.store.schema import ReportRow

CRASHES = findings(the_case()["document"], 2)
STRANGER = "mallory"
AUTHOR = "bob"


class Asking(PublisherWorld):
    """A repository whose pull request was tested; ``alice`` may write, its author may not."""

    def __init__(self, github, folder, **settings):
        super().__init__(github, folder, **settings)
        self._heard = 0

    def hear(self):
        """Hear all that GitHub sent since the last time."""
        log = self.github.deliveries.log
        while self._heard < len(log):
            sent = log[self._heard]
            self._heard += 1
            self.hear_one(sent)

    def hear_one(self, sent):
        digest = hashlib.sha256(sent.body).hexdigest()
        delivery = Delivery(
            sent.guid, sent.event, sent.action, digest, sent.installation, sent.body
        )
        with self.store.write() as unit:
            if unit.deliveries.keep(delivery):
                dispatch(delivery, unit)
                unit.deliveries.heard(delivery.id)

    def opened(self, name="cafe", *, fork=False, document=..., **more):
        """A pull request by somebody who may not write, and its run that found a crash."""
        repo = self.github.repository(name)
        source = repo.fork(AUTHOR) if fork else None
        files = more.pop("files", None) or dict(self.case["texts"])
        pull = repo.pull("feature", files=files, user=AUTHOR, fork=source, **more)
        self.hear()
        (run,) = self.runs(pull)
        self.drive()
        if document is not None:
            self.finish(run, CRASHES if document is ... else document)
            self.drive()
        return pull

    def say(self, pull, user, body):
        """Comment, and do all that comes of it but testing."""
        comment = pull.comment(user, body)
        self.settle()
        return comment

    def settle(self):
        """Do what is due now; answers that wait for runs wait on."""
        self.hear()
        with self.clerk() as clerk:
            while clerk.serve():
                pass

    def runs(self, pull):
        """The runs of a pull request, the newest first."""
        with self.store.read() as unit:
            return unit.runs.of_pull(pull.repository.id, pull.number)

    def ignores(self, pull):
        with self.store.read() as unit:
            return unit.ignores.of(pull.repository.id)

    def replace_findings(self, run, found):
        """Put other findings into a stored report."""
        with self.store.write() as unit:
            document = {**unit.runs.report(run.id), "findings": found}
            changed = update(ReportRow).where(ReportRow.run_id == run.id).values(document=document)
            unit.runs._changed(changed)

    def decide(self, pull, policy):
        with self.store.write() as unit:
            unit.runs.decide(unit.runs.of_pull(pull.repository.id, pull.number)[0].id, policy)


def answers(pull):
    """What we replied, without the summary comment and marks."""
    said = [one.body for one in pull.bot_comments() if "assayer:reply:" in one.body]
    return [body.rpartition("<!--")[0].strip() for body in said]


def reactions(pull, comment):
    return [one.content for one in pull.reactions(comment)]


@contextmanager
def refused(github, **kept):
    """The installation grants less for a while."""
    before = dict(github.installation.permissions)
    github.installation.permissions.update(kept)
    try:
        yield
    finally:
        github.installation.permissions.clear()
        github.installation.permissions.update(before)
