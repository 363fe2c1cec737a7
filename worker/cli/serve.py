"""``assayer serve``, ``assayer worker`` and ``assayer beat``: the hosted bot."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

import click

from worker.store.queue_names import PUBLISH, QUEUES
from worker.system.programs import SEARCH_PATH

if TYPE_CHECKING:
    from worker.settings.operator_settings import Settings

FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0
STEADY_SECONDS = 60.0
END_SECONDS = 60.0
_LOOK_SECONDS = 0.2

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChildProgram:
    """A program to start; the variables ``unseen`` are kept from it."""

    name: str
    command: tuple[str, ...]
    unseen: frozenset[str] = frozenset()

    @property
    def environment(self) -> dict[str, str]:
        """Its whole environment."""
        return {name: value for name, value in os.environ.items() if name not in self.unseen}


def assayer(name: str, *arguments: str, unseen: frozenset[str] = frozenset()) -> ChildProgram:
    """Another ``assayer``."""
    return ChildProgram(name, (sys.executable, "-P", "-m", "worker.cli", *arguments), unseen)


def stopped_by_signals() -> Event:
    """An event that SIGINT and SIGTERM set."""
    stop = Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    return stop


def supervise(main: ChildProgram, others: Sequence[ChildProgram], stop: Event) -> int:
    """Run ``main``, and ``others`` (restarted) beside it, until it ends or ``stop`` is set.

    Returns the exit status of ``main``, 0 where it was asked to end.  Call it in the main thread.
    """
    first = _Child(main)
    children = [_Child(program) for program in others]
    try:
        first.start()
        while not stop.wait(_LOOK_SECONDS) and first.is_alive:
            for child in children:
                child.look_after()
    finally:
        for child in (first, *children):
            child.ask_to_end()
        deadline = time.monotonic() + END_SECONDS
        for child in (first, *children):
            child.end(deadline)
    return 0 if stop.is_set() else max(0, first.status)


class _Child:
    def __init__(self, program: ChildProgram) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._wait = FIRST_WAIT
        self._began = self._next = time.monotonic()

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def status(self) -> int:
        return 0 if self._process is None else self._process.returncode or 0

    def start(self) -> None:
        self._began = time.monotonic()
        self._process = subprocess.Popen(  # noqa: S603 - Assayer itself
            [*_bond(), *self._program.command], env=self._program.environment
        )

    def look_after(self) -> None:
        """Start it where it does not run and its pause is over."""
        now = time.monotonic()
        if self.is_alive:
            return
        if self._process is not None:
            self._rest(now)
        if now >= self._next:
            self.start()

    def _rest(self, now: float) -> None:
        """It has ended: make it wait, longer if it did not live long."""
        assert self._process is not None
        steady = now - self._began > STEADY_SECONDS
        self._wait = FIRST_WAIT if steady else self._wait
        status = self._process.returncode
        _log.error("the %s ended with %d; again in %.0f s", self._program.name, status, self._wait)
        self._next, self._process = now + self._wait, None
        self._wait = min(self._wait * 2, LONGEST_WAIT)

    def ask_to_end(self) -> None:
        if self._process is not None and self.is_alive:
            self._process.terminate()

    def end(self, deadline: float) -> None:
        """Wait for its end until ``deadline``, then kill it."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _bond() -> tuple[str, ...]:
    program = shutil.which("setpriv", path=SEARCH_PATH)
    return () if program is None else (program, "--pdeathsig", "TERM", "--")


_SETTINGS = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The operator's settings.",
)
_GPUS = (Path("/dev/nvidia0"), Path("/dev/kfd"))


def _queues(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    if value is None:
        return _own_queues()
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    unknown = [name for name in names if name not in (*QUEUES, PUBLISH)]
    if unknown or not names:
        raise click.BadParameter(f"the queues are {', '.join((*QUEUES, PUBLISH))}")
    if PUBLISH in names and len(names) > 1:
        raise click.BadParameter(
            f"{PUBLISH} stands alone: a process that examines code never holds the App's key"
        )
    return names


def _own_queues() -> tuple[str, ...]:
    return QUEUES if any(device.exists() for device in _GPUS) else QUEUES[:1]


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--web-only", is_flag=True, help="Run the web app, and nothing beside it.")
@_SETTINGS
def serve(host: str, port: int, web_only: bool, settings_file: Path | None) -> int:  # noqa: FBT001
    """Run the web app that hears GitHub and shows reports, and what it needs.

    Beside it run the publisher, which speaks to GitHub, and the clock; where
    no broker is configured ([queue] url), the examining worker as well, so
    that one command is the whole bot.

    \b
    Where each has a place of its own:
      assayer serve --web-only           hears GitHub, shows reports
      assayer worker --queues publish    speaks to GitHub; needs the App's key
      assayer worker --queues cpu        examines code; needs no key
      assayer worker --queues gpu        examines deep-learning code
      assayer beat                       the clock
    """  # noqa: D301 - click reads the escape
    settings = _settings_for_children(settings_file)
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    web = ChildProgram("web app", (sys.executable, "-P", "-m", "app", bind))
    if web_only:
        sys.stderr.flush()
        os.execv(web.command[0], web.command)  # noqa: S606 our own interpreter
    configure_logs()
    return supervise(web, _beside_web(settings), stopped_by_signals())


@click.command()
@click.option(
    "--queues",
    callback=_queues,
    default=None,
    metavar="NAME[,…]",
    help="Which jobs to take: cpu, gpu, or publish alone."
    "  [default: cpu, and gpu where this machine has one]",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=max(1, (os.cpu_count() or 2) // 2),
    show_default=True,
    help="Jobs at a time, where there is a broker.",
)
@_SETTINGS
def worker(queues: Sequence[str], concurrency: int, settings_file: Path | None) -> int:
    """Examine code, or publish what was found.

    With cpu or gpu it carries out the recorded runs, from the broker if one
    is configured, else from the database; it needs no secret of GitHub's.
    With publish it hears deliveries, clones, and writes to GitHub, for which
    it needs the App's key ([github] private_key_file).
    """
    settings = _settings_for_children(settings_file)
    configure_logs()
    if PUBLISH in queues:
        resolve_name("worker.github_app.outbox.publisher:publish")(settings, stopped_by_signals())
        return 0
    resolve_name("worker.check.leftovers:remove_leftovers")(settings)
    if settings.queue.url is None:
        work = resolve_name("worker.runs.one_process:work")
        work(settings, stopped_by_signals(), queues=queues)
    else:
        from worker.store.run_queue import RunTimeLimits, celery_app

        assert settings.queue.url is not None
        celery = celery_app(settings.queue.url, RunTimeLimits.of(settings))
        arguments = ["--queues", ",".join(queues), "--concurrency", str(concurrency)]
        alone = ["--without-gossip", "--without-mingle", "--hostname", f"assayer-{os.getpid()}@%h"]
        celery.worker_main(["worker", "--loglevel", "INFO", *alone, *arguments])
    return 0


@click.command()
@_SETTINGS
def beat(settings_file: Path | None) -> int:
    """Run the clock: settles the runs of dead workers, and asks for what is due.

    Any number may run at a time; without one, a run whose worker was killed
    stays unfinished.  It needs no secret of GitHub's.
    """
    settings = _settings_for_children(settings_file)
    configure_logs()
    resolve_name("worker.runs.scheduler:run")(settings, stopped_by_signals())
    return 0


def _beside_web(settings: Settings) -> list[ChildProgram]:
    beside = [assayer("publisher", "worker", "--queues", PUBLISH), assayer("clock", "beat")]
    if settings.queue.url is None:
        ours = settings.app
        secrets = (settings.github.webhook_secret, ours.operators, ours.client_secret)
        unseen = [secret.text.removeprefix("env:") for secret in secrets if secret is not None]
        beside.append(assayer("worker", "worker", unseen=frozenset(unseen)))
    return beside


def configure_logs() -> None:
    """Write logs as the settings say."""
    from worker.system import logs

    logs.configure()


def _settings_for_children(file: Path | None) -> Settings:
    from worker.settings.operator_settings import FILE_VARIABLE, read_settings

    settings = read_settings(file)
    if file is not None:
        os.environ[FILE_VARIABLE] = str(file.resolve())
    return settings
