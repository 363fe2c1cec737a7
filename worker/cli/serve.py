"""``assayer serve``, ``assayer worker`` and ``assayer beat``: the hosted bot."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

import click

from worker import logs
from worker.cli.processes import Program, assayer, stopped_by_signals, supervise
from worker.queue import PUBLISH, QUEUES
from worker.settings.server import FILE_VARIABLE, Settings, read_settings

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
    """What this machine is good for."""
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
    web = _web(host, port)
    if web_only:
        sys.stderr.flush()
        os.execv(web.command[0], web.command)  # noqa: S606 our own interpreter
    logs.configure()
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
    logs.configure()
    if PUBLISH in queues:
        resolve_name("worker.publisher.publisher:publish")(settings, stopped_by_signals())
        return 0
    resolve_name("worker.sweeping:sweep")(settings)
    if settings.queue.url is None:
        work = resolve_name("worker.jobs.one_process:work")
        work(settings, stopped_by_signals(), queues=queues)
    else:
        _consume(settings, queues, concurrency)
    return 0


@click.command()
@_SETTINGS
def beat(settings_file: Path | None) -> int:
    """Run the clock: settles the runs of dead workers, and asks for what is due.

    Any number may run at a time; without one, a run whose worker was killed
    stays unfinished.  It needs no secret of GitHub's.
    """
    settings = _settings_for_children(settings_file)
    logs.configure()
    resolve_name("worker.jobs.clock:run")(settings, stopped_by_signals())
    return 0


def _consume(settings: Settings, queues: Sequence[str], concurrency: int) -> None:
    from worker.queue import Limits, celery_app  # noqa: PLC0415

    assert settings.queue.url is not None
    celery = celery_app(settings.queue.url, Limits.of(settings))
    arguments = ["--queues", ",".join(queues), "--concurrency", str(concurrency)]
    alone = ["--without-gossip", "--without-mingle", "--hostname", f"assayer-{os.getpid()}@%h"]
    celery.worker_main(["worker", "--loglevel", "INFO", *alone, *arguments])


def _beside_web(settings: Settings) -> list[Program]:
    """What runs beside the web app; what examines code sees no secret of GitHub's."""
    beside = [assayer("publisher", "worker", "--queues", PUBLISH), assayer("clock", "beat")]
    if settings.queue.url is None:
        secrets = (settings.github.webhook_secret, settings.app.operators)
        unseen = [secret.text.removeprefix("env:") for secret in secrets if secret is not None]
        beside.append(assayer("worker", "worker", unseen=frozenset(unseen)))
    return beside


def _settings_for_children(file: Path | None) -> Settings:
    """Read the settings here, so that a mistake is told at once, and hand them on."""
    settings = read_settings(file)
    if file is not None:
        os.environ[FILE_VARIABLE] = str(file.resolve())
    return settings


def _web(host: str, port: int) -> Program:
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return Program("web app", (sys.executable, "-P", "-m", "app", bind))
