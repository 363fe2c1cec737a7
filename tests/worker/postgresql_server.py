"""A real PostgreSQL in a folder of its own, for as long as a test needs it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

_QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=16MB")
_QUIET = ("listen_addresses=", "autovacuum=off", "max_connections=80", "log_min_messages=fatal")


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else (Path(on_path).parent if on_path else None)


PROGRAMS = _programs()
WHY_NOT = None if PROGRAMS else "PostgreSQL's programs (initdb, postgres) are not installed"


@contextmanager
def postgresql_server(options: tuple[str, ...] = _QUICK) -> Iterator[str]:
    """Yield the address of a server, without a database's name: add ``/name``."""
    assert PROGRAMS is not None
    folder = Path(tempfile.mkdtemp(prefix="assayer-postgresql-", dir="/tmp"))
    user = _ordinary_user()
    if user is not None:
        shutil.chown(folder, user)
    try:
        _run([PROGRAMS / "initdb", "-D", folder / "data", "--no-sync", *_initial()], user)
        given = [part for option in (*options, *_QUIET) for part in ("-c", option)]
        command = [PROGRAMS / "postgres", "-D", folder / "data", "-k", folder, *given]
        with (
            (folder / "log").open("w") as log,
            subprocess.Popen(_as(user, command), stdout=log, stderr=log, cwd="/") as server,
        ):
            try:
                _wait(folder, server)
                yield f"postgresql+psycopg://assayer@{{}}?host={folder}"
            finally:
                server.send_signal(signal.SIGQUIT)
                try:
                    server.wait(120)
                except subprocess.TimeoutExpired:
                    server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def database(server: str, name: str) -> str:
    """Create a database and return its address."""
    folder = server.rpartition("=")[2]
    with psycopg.connect(f"host={folder} user=assayer dbname=postgres", autocommit=True) as link:
        link.execute(f'CREATE DATABASE "{name}"')
    return server.format(f"/{name}")


def _initial() -> list[str]:
    return ["-A", "trust", "-U", "assayer", "-E", "UTF8", "--locale=C", "--no-instructions"]


def _ordinary_user() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _as(user: str | None, command: list[str | Path]) -> list[str]:
    words = [str(word) for word in command]
    if user is None:
        return ["setpriv", "--pdeathsig", "QUIT", *words]
    entry = pwd.getpwnam(user)
    ids = [f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
    return ["setpriv", *ids, "--pdeathsig", "QUIT", *words]


def _run(command: list[str | Path], user: str | None) -> None:
    words = _as(user, command)
    done = subprocess.run(words, check=False, capture_output=True, text=True, cwd="/", timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stderr}")


def _wait(folder: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and server.poll() is None:
        try:
            psycopg.connect(f"host={folder} user=assayer dbname=postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"PostgreSQL did not start: {(folder / 'log').read_text()}")
