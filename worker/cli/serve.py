"""``assayer serve`` and ``assayer worker``: the hosted bot."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import click

from worker.jobs.one_process import work
from worker.queue import QUEUES, Limits, celery_app
from worker.settings.server import FILE_VARIABLE, Settings, read_settings
from worker.sweeping import sweep

_SETTINGS = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The operator's settings.",
)


def _queues(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    unknown = [name for name in names if name not in QUEUES]
    if unknown or not names:
        raise click.BadParameter(f"the queues are {', '.join(QUEUES)}")
    return names


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@_SETTINGS
def serve(host: str, port: int, settings_file: Path | None) -> int:
    """Run the web app that hears GitHub and shows reports.

    Where no broker is configured, it carries out the runs as well.
    """
    settings = _settings_for_children(settings_file)
    command = _web_command(host, port)
    if settings.queue.url is not None:
        sys.stderr.flush()
        os.execv(command[0], command)  # noqa: S606 our own interpreter
    return _serve_and_work(command, settings)


@click.command()
@click.option(
    "--queues",
    callback=_queues,
    default=",".join(QUEUES),
    show_default=True,
    help="Which jobs to take.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=max(1, (os.cpu_count() or 2) // 2),
    show_default=True,
    help="Jobs at a time.",
)
@_SETTINGS
def worker(queues: Sequence[str], concurrency: int, settings_file: Path | None) -> int:
    """Carry out the recorded runs, from the broker if one is configured."""
    settings = _settings_for_children(settings_file)
    if settings.queue.url is None:
        _log_to_stderr()
        work(settings, _stopped_by_signals())
        return 0
    celery = celery_app(settings.queue.url, Limits.of(settings))
    arguments = ["--queues", ",".join(queues), "--concurrency", str(concurrency)]
    celery.worker_main(["worker", "--loglevel", "INFO", "--without-gossip", *arguments])
    return 0


def _settings_for_children(file: Path | None) -> Settings:
    """Read the settings here, so that a mistake is told at once, and hand them on."""
    settings = read_settings(file)
    sweep(settings)
    if file is not None:
        os.environ[FILE_VARIABLE] = str(file.resolve())
    return settings


def _web_command(host: str, port: int) -> list[str]:
    options = ["--worker-class", "gthread", "--threads", "8", "--no-control-socket"]
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    app = "app.web:create_app()"
    return [sys.executable, "-m", "gunicorn", "--bind", bind, *options, app]


def _serve_and_work(command: list[str], settings: Settings) -> int:
    """Run the web app beside the worker; the end of either ends both."""
    _log_to_stderr()
    stop = _stopped_by_signals()
    with subprocess.Popen(command, env=os.environ) as web:  # noqa: S603 Assayer itself
        threading.Thread(target=_tell_of_end, args=(web, stop), daemon=True).start()
        try:
            work(settings, stop)
        finally:
            web.terminate()
    return max(0, web.returncode)


def _tell_of_end(process: subprocess.Popen[bytes], stop: threading.Event) -> None:
    process.wait()
    stop.set()


def _stopped_by_signals() -> threading.Event:
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    return stop


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
