"""Checks of the hosted bot for the doctor: database, queue, GitHub App and processes.

What one process is not told, another may be: a part that is not set here is
no complaint.  Nothing that is looked at is changed.
"""

from __future__ import annotations

import shutil
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from github.GithubApp import GithubApp
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from worker.cli.machine_checks import MachineCheck
from worker.errors import MachineError, UsageError
from worker.github_app.client.app import App
from worker.github_app.client.credentials import private_key
from worker.github_app.client.objects import registration
from worker.github_app.client.rights import lacking
from worker.settings.operator_settings import LOOPBACK, GithubSettings, Settings
from worker.store.blobs import Blobs
from worker.store.database import NEWEST_REVISION, connect, reading_engine, revision
from worker.store.queue_names import PUBLISH, QUEUES, SCHEDULER
from worker.store.records import WorkerRecord, WorkerState
from worker.store.store import Store

REDIS_SECONDS = 3
SHORTEST_SECRET = 16
LEAST_FREE = 1 << 30
"""Bytes; a run's clone and files may take some hundred megabytes."""
GPUS = (Path("/dev/nvidia0"), Path("/dev/kfd"))

_NO_DATABASE = "Correct [store] url, or start its server."


def examine_hosting(settings: Settings) -> Iterator[MachineCheck]:
    """Look at what the hosted bot needs."""
    yield _queue(settings.queue.url)
    database, present = _database(settings.store.url)
    yield database
    yield _blobs(settings.store.blobs)
    yield _app(settings.github)
    yield _webhook_secret(settings)
    yield _public_url(settings.app.public_url)
    yield _processes(present, needed=is_hosted(settings))
    yield _gpu(settings, present)


def is_hosted(settings: Settings) -> bool:
    """Tell whether these are settings of the hosted bot, rather than of the command line."""
    return settings.github.app_id is not None or settings.github.webhook_secret is not None


def _queue(url: str | None) -> MachineCheck:
    if url is None:
        return MachineCheck("queue", ok=True, detail="none set: one process, no broker", unset=True)
    remedy = "Start Redis or correct [queue] url; deliveries are kept meanwhile."
    try:
        with Redis.from_url(url, socket_timeout=REDIS_SECONDS) as redis:
            redis.ping()
    except (RedisError, ValueError) as error:
        return MachineCheck("queue", ok=False, detail=str(error), remedy=remedy)
    return MachineCheck("queue", ok=True, detail="Redis answers")


def _database(url: str) -> tuple[MachineCheck, tuple[WorkerRecord, ...]]:
    try:
        engine = connect(url)
        try:
            check = _step(engine)
        finally:
            engine.dispose()
        return check, _present(url) if check.detail.endswith(f"step {NEWEST_REVISION}") else ()
    except (ImportError, MachineError) as error:
        remedy = "Install the driver that [store] url names: pip install 'assayer[postgres]'."
        return MachineCheck(
            "database", ok=False, detail=str(error).partition("\n")[0], remedy=remedy
        ), ()
    except (SQLAlchemyError, OSError) as error:
        detail = str(error).partition("\n")[0]
        return MachineCheck("database", ok=False, detail=detail, remedy=_NO_DATABASE), ()


def _step(engine: Engine) -> MachineCheck:
    kind = engine.dialect.name
    with reading_engine(engine).connect() as connection:
        found = revision(connection)
    if found is None:
        return MachineCheck(
            "database", ok=True, detail=f"{kind}, empty: the first process sets it up"
        )
    if found == NEWEST_REVISION:
        return MachineCheck("database", ok=True, detail=f"{kind}, step {NEWEST_REVISION}")
    if found < NEWEST_REVISION:
        detail = f"{kind}, step {found}: {NEWEST_REVISION} is taken at the next start"
        return MachineCheck("database", ok=True, detail=detail)
    detail = f"{kind}, step {found}, which this version does not know"
    remedy = "Install the version of Assayer that wrote it, or a newer one."
    return MachineCheck("database", ok=False, detail=detail, remedy=remedy)


def _present(url: str) -> tuple[WorkerRecord, ...]:
    with Store(url) as store, store.read() as unit:
        return unit.workers_present.present()


def _blobs(url: str) -> MachineCheck:
    key, content = f"doctor/{uuid.uuid4().hex}", b"assayer"
    try:
        blobs = Blobs(url)
        blobs.put(key, content)
        same = blobs.read(key) == content
        blobs.remove(key)
    except (OSError, MachineError) as error:
        remedy = "Correct [store] blobs, or let this user write there."
        return MachineCheck("blobs", ok=False, detail=str(error).partition("\n")[0], remedy=remedy)
    if not same:
        remedy = "Set [store] blobs to a place that keeps what it is given."
        return MachineCheck(
            "blobs", ok=False, detail="what is written does not come back", remedy=remedy
        )
    return _room(url)


def _room(url: str) -> MachineCheck:
    folder = Path(url.removeprefix("file://"))
    if not folder.is_dir():
        return MachineCheck("blobs", ok=True, detail="can be written and read")
    free = shutil.disk_usage(folder).free
    detail = f"can be written and read; {free / (1 << 30):.1f} GiB are free"
    enough = free >= LEAST_FREE
    remedy = "" if enough else "Make room, or lower [store] keep_days."
    return MachineCheck("blobs", ok=enough, detail=detail, remedy=remedy)


# --------------------------------------------------------------------- GitHub


def _app(github: GithubSettings) -> MachineCheck:
    if github.app_id is None and github.private_key_file is None:
        detail = "not set: the publisher needs [github] app_id and private_key_file"
        return MachineCheck("GitHub App", ok=True, detail=detail, unset=True)
    if github.private_key_file is None:
        detail = "its key is not told here: only the publisher needs it"
        return MachineCheck("GitHub App", ok=True, detail=detail)
    try:
        private_key(github.private_key_file)
        with App(github) as app:
            return _registered(registration(app.api))
    except UsageError as error:
        return MachineCheck(
            "GitHub App", ok=False, detail=str(error), remedy="Correct the setting."
        )
    except MachineError as error:
        remedy = error.remedy or "Look at [github] api_url and at the way there; try again later."
        return MachineCheck("GitHub App", ok=False, detail=error.message, remedy=remedy)


def _registered(app: GithubApp) -> MachineCheck:
    lacks = lacking(app.permissions, frozenset(app.events))
    if not lacks:
        return MachineCheck("GitHub App", ok=True, detail=f"GitHub knows it as {app.slug}")
    detail = f"{app.slug} lacks {', '.join(lacks)}"
    remedy = "Grant it in the App's settings at GitHub; accounts are then asked to accept."
    return MachineCheck("GitHub App", ok=False, detail=detail, remedy=remedy)


def _webhook_secret(settings: Settings) -> MachineCheck:
    reference = settings.github.webhook_secret
    if reference is None:
        detail = "not set here: the web process and the publisher need [github] webhook_secret"
        return MachineCheck("webhook secret", ok=True, detail=detail, unset=True)
    try:
        secret = reference.read()
    except UsageError as error:
        remedy = "Put the App's webhook secret there, and let this user read it."
        return MachineCheck("webhook secret", ok=False, detail=str(error), remedy=remedy)
    if len(secret) < SHORTEST_SECRET:
        remedy = "Make another with `openssl rand -hex 32`, and tell GitHub in the App's settings."
        return MachineCheck("webhook secret", ok=False, detail="it can be guessed", remedy=remedy)
    return MachineCheck("webhook secret", ok=True, detail="set")


def _public_url(url: str | None) -> MachineCheck:
    if url is None:
        detail = "not set here: the publisher needs [app] public_url for links to pages"
        return MachineCheck("public address", ok=True, detail=detail, unset=True)
    parts = urlsplit(url)
    if parts.scheme == "https" or parts.hostname in LOOPBACK:
        return MachineCheck("public address", ok=True, detail=url)
    remedy = "Put a proxy with TLS before it, and write the https address in [app] public_url."
    return MachineCheck("public address", ok=False, detail=f"{url} is not https", remedy=remedy)


# ------------------------------------------------------------------ processes


def _processes(present: tuple[WorkerRecord, ...], *, needed: bool) -> MachineCheck:
    ready = Counter(
        queue for one in present if one.state is WorkerState.READY for queue in one.queues
    )
    refusing = sum(one.state is WorkerState.REFUSING for one in present)
    counted = [f"{name} {ready[name]}" for name in (PUBLISH, SCHEDULER, *QUEUES)]
    detail = f"ready: {', '.join(counted)}" + (f"; refusing: {refusing}" if refusing else "")
    missing = [name for name in (PUBLISH, SCHEDULER, QUEUES[0]) if not ready[name]]
    if not needed or not (missing or refusing):
        return MachineCheck("processes", ok=True, detail=detail)
    return MachineCheck("processes", ok=False, detail=detail, remedy=_start(missing))


def _start(missing: list[str]) -> str:
    commands = {PUBLISH: f"`assayer worker --queues {PUBLISH}`", SCHEDULER: "`assayer beat`"}
    commands[QUEUES[0]] = f"`assayer worker --queues {QUEUES[0]}`"
    if missing:
        return f"Start {', '.join(commands[name] for name in missing)}, or `assayer serve`."
    return "See /readyz for why a worker refuses."


def _gpu(settings: Settings, present: tuple[WorkerRecord, ...]) -> MachineCheck:
    here = next((str(device) for device in GPUS if device.exists()), None)
    detail = "none on this machine" if here is None else f"{here} is there"
    waits = is_hosted(settings) and settings.queue.gpu == "auto"
    alive = any("gpu" in one.queues and one.state is WorkerState.READY for one in present)
    if not waits or alive:
        return MachineCheck("GPU", ok=True, detail=detail)
    detail += f"; runs of deep learning wait {settings.queue.gpu_wait:.0f} s for a worker with one"
    remedy = 'Start `assayer worker --queues gpu` where one is, or set [queue] gpu = "never".'
    return MachineCheck("GPU", ok=False, detail=detail, remedy=remedy)
