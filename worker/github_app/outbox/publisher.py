"""The publisher: threads that hear deliveries and do errands until they are stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from threading import Event, Thread

from worker.github_app.client.app import App
from worker.github_app.context import STORE_UNAVAILABLE, PublisherContext
from worker.github_app.outbox.delivery_dispatch import dispatch_waiting
from worker.github_app.outbox.outbox_worker import InstallationLimiter, LeaseRenewer, OutboxWorker
from worker.report.page_links import LinkSigner, PageLinks
from worker.settings.operator_settings import Settings
from worker.store.blobs import Blobs
from worker.store.counters import GITHUB_CALLS, BufferedCounters
from worker.store.run_queue import QueueNotifier, open_queue
from worker.store.store import Store

_log = logging.getLogger(__name__)

THREADS = 4
IDLE_SECONDS = 0.5
OUTAGE_SECONDS = 1.0
END_SECONDS = 30.0
"""How long threads may take for what they are at, once they are asked to end."""


def is_configured(settings: Settings) -> bool:
    """Return whether there is an App to speak for."""
    return settings.github.app_id is not None and settings.github.private_key_file is not None


def publish(settings: Settings, stop: Event, threads: int = THREADS) -> None:
    """Hear deliveries and do errands until ``stop`` is set.

    Where no App is set up it says so and waits.  Raises ``MachineError``
    where the App's settings cannot be used.
    """
    if not is_configured(settings):
        _log.warning("nothing is published: set github.app_id and github.private_key_file")
        stop.wait()
        return
    with Store(settings.store.url) as store:
        counters = BufferedCounters(store)
        with App(settings.github, count=partial(counters.add, GITHUB_CALLS)) as app:
            run_threads(_publisher_context(settings, store, app, stop), threads)
        counters.flush()


def _publisher_context(settings: Settings, store: Store, app: App, stop: Event) -> PublisherContext:
    reference = settings.github.webhook_secret
    links = PageLinks(
        settings.app.public_url,
        None if reference is None else LinkSigner(reference.read().encode()),
        settings.app.link_seconds,
        time.time,
    )
    return PublisherContext(
        settings=settings,
        store=store,
        app=app,
        blobs=Blobs(settings.store.blobs),
        notify=QueueNotifier(open_queue(settings, store), store),
        links=links,
        stop=stop,
    )


def run_threads(publisher_context: PublisherContext, threads: int = THREADS) -> None:
    """Hear and do until the office's ``stop`` is set.

    Half of the threads leave what may take minutes to the others, so that
    a check run is announced while clones are made.
    """
    lease_renewer = LeaseRenewer(publisher_context.store, publisher_context.timeouts.lease)
    limiter = InstallationLimiter(max(1, threads // 2))
    ears = PollingLoop("ears", publisher_context, lambda: dispatch_waiting(publisher_context) > 0)
    clerks = [
        PollingLoop(
            f"clerk-{number}",
            publisher_context,
            OutboxWorker(publisher_context, lease_renewer, limiter, quick=number % 2 == 0).serve,
        )
        for number in range(threads)
    ]
    renewing = Thread(
        target=lease_renewer.run, args=(publisher_context.stop,), name="keeper", daemon=True
    )
    working = [Thread(target=round_, name=round_.name, daemon=True) for round_ in (ears, *clerks)]
    for thread in (renewing, *working):
        thread.start()
    publisher_context.stop.wait()
    deadline = time.monotonic() + END_SECONDS
    for thread in (*working, renewing):
        thread.join(max(0.0, deadline - time.monotonic()))
    lease_renewer.leave()


class PollingLoop:
    """Calls ``step`` for as long as there is something to do, and looks again when not."""

    def __init__(
        self, name: str, publisher_context: PublisherContext, step: Callable[[], bool]
    ) -> None:
        self.name = name
        self._stop: Event = publisher_context.stop
        self._step = step

    def __call__(self) -> None:
        """Do so until the office stops."""
        while not self._stop.is_set():
            try:
                if not self._step():
                    self._stop.wait(IDLE_SECONDS)
            except STORE_UNAVAILABLE as error:
                _log.warning("the store does not answer (%s)", type(error).__name__)
                self._stop.wait(OUTAGE_SECONDS)
            except Exception:  # noqa: BLE001 - a thread that ends does nothing any more
                _log.exception("a round broke")
                self._stop.wait(OUTAGE_SECONDS)
