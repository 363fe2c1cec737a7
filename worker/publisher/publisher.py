"""The publisher: threads that hear deliveries and do errands until they are stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from threading import Event, Thread

from worker.composition.signed import Signed
from worker.github.app import App
from worker.links import Links
from worker.publisher.clerk import Clerk
from worker.publisher.hearing import hear_waiting
from worker.publisher.keeping import Keeper, Shares
from worker.publisher.office import STORE_AWAY, Office
from worker.queue import Bell, open_queue
from worker.settings.server import Settings
from worker.store import Store
from worker.store.blobs import Blobs
from worker.tallying import GITHUB_CALLS, Tally

_log = logging.getLogger(__name__)

THREADS = 4
IDLE_SECONDS = 0.5
OUTAGE_SECONDS = 1.0
END_SECONDS = 30.0
"""How long threads may take for what they are at, once they are asked to end."""


def is_configured(settings: Settings) -> bool:
    """Whether there is an App to speak for."""
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
        tally = Tally(store)
        with App(settings.github, count=partial(tally.add, GITHUB_CALLS)) as app:
            staff(_office(settings, store, app, stop), threads)
        tally.flush()


def _office(settings: Settings, store: Store, app: App, stop: Event) -> Office:
    reference = settings.github.webhook_secret
    links = Signed(
        settings.app.public_url,
        None if reference is None else Links(reference.read().encode()),
        settings.app.link_seconds,
        time.time,
    )
    return Office(
        settings=settings,
        store=store,
        app=app,
        blobs=Blobs(settings.store.blobs),
        ring=Bell(open_queue(settings, store), store),
        links=links,
        stop=stop,
    )


def staff(office: Office, threads: int = THREADS) -> None:
    """Hear and do until the office's ``stop`` is set.

    Half of the threads leave what may take minutes to the others, so that
    a check run is announced while clones are made.
    """
    keeper = Keeper(office.store, office.patience.lease)
    shares = Shares(max(1, threads // 2))
    ears = Round("ears", office, lambda: hear_waiting(office) > 0)
    clerks = [
        Round(f"clerk-{number}", office, Clerk(office, keeper, shares, quick=number % 2 == 0).serve)
        for number in range(threads)
    ]
    keeping = Thread(target=keeper.run, args=(office.stop,), name="keeper", daemon=True)
    working = [Thread(target=round_, name=round_.name, daemon=True) for round_ in (ears, *clerks)]
    for thread in (keeping, *working):
        thread.start()
    office.stop.wait()
    deadline = time.monotonic() + END_SECONDS
    for thread in (*working, keeping):
        thread.join(max(0.0, deadline - time.monotonic()))
    keeper.leave()


class Round:
    """Calls ``step`` for as long as there is something to do, and looks again when not."""

    def __init__(self, name: str, office: Office, step: Callable[[], bool]) -> None:
        self.name = name
        self._stop: Event = office.stop
        self._step = step

    def __call__(self) -> None:
        """Do so until the office stops."""
        while not self._stop.is_set():
            try:
                if not self._step():
                    self._stop.wait(IDLE_SECONDS)
            except STORE_AWAY as error:
                _log.warning("the store does not answer (%s)", type(error).__name__)
                self._stop.wait(OUTAGE_SECONDS)
            except Exception:  # noqa: BLE001 - a thread that ends does nothing any more
                _log.exception("a round broke")
                self._stop.wait(OUTAGE_SECONDS)
