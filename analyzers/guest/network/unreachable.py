"""Addresses that the tested code asked in vain, as the report names them."""

from __future__ import annotations

import threading
import time
from types import ModuleType
from typing import Any, Callable, List
from urllib.parse import urlsplit

from ..protocol import api_calls
from ..runtime.time_limits import CLOCK

MOST = 20
LONGEST = 300


def note_url(url: Any) -> None:
    """Note a URL, without its query and what identifies a person."""
    try:
        parts = urlsplit(str(url))
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return
    if host:
        _note(f"{parts.scheme}://{host}{parts.path}")


def note_address(host: Any, port: Any) -> None:
    """Note a host and port, unless a URL at the host is noted already."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    marks = (f"//{name}/", f"//{name}:")
    if not any(mark in f"{known}/" for known in _noted() for mark in marks):
        _note(name if port in (None, 0, "") else f"{name}:{port}")


def unreachable_names(session: api_calls.ApiSession) -> List[str]:
    """All that a run asked in vain: addresses, and operations of client libraries."""
    return [name[:LONGEST] for name in session.outside[:MOST]]


def refusal(host: Any) -> str:
    """Return what code that asks an address outside is told."""
    return f"{host} is no described ML API, and nothing else can be reached from here"


def _noted() -> List[str]:
    return api_calls.session().outside


def _note(address: str) -> None:
    noted = _noted()
    address = "".join(c if c.isprintable() else "?" for c in address)[:LONGEST]
    if address not in noted and len(noted) < MOST:
        noted.append(address)


SHORT = 0.001
"""Seconds; long enough that other threads come to run."""
LONG = 0.1
"""Seconds of a sleep in which code waits for the world, which stands still here."""
MOST_SLEEPS = 200
"""Skipped sleeps after which a run waits for something that never comes."""
THREAD = "assayer-proxy"


def was_refused() -> bool:
    """Return whether the run was refused something."""
    session = api_calls.session()
    return bool(session.outside) or session.refusal is not None


def patch_time() -> None:
    """Patch ``time.sleep``."""
    module: Any = time
    original: Callable[[float], None] = module.sleep

    def sleep(seconds: float, /) -> None:
        original(_shortened(seconds, alone=_is_only_thread()))

    module.sleep = sleep


def patch_asyncio(module: ModuleType) -> None:
    """Patch ``asyncio.sleep``."""
    original: Any = module.sleep

    async def sleep(delay: float, result: Any = None) -> Any:
        alone = _is_only_thread() and len(vars(module)["all_tasks"]()) == 1
        return await original(_shortened(delay, alone=alone), result)

    vars(module)["sleep"] = sleep
    vars(module.tasks)["sleep"] = sleep


def _shortened(seconds: float, *, alone: bool) -> float:
    """Return how long to sleep where nothing that is waited for goes on meanwhile."""
    session = api_calls.session()
    is_vain = alone and seconds >= LONG and not isinstance(session.supplier, api_calls.EmptyAnswers)
    if not is_vain and not (was_refused() and seconds > SHORT):
        return seconds
    session.sleeps += 1
    if session.sleeps > MOST_SLEEPS:
        CLOCK.end()
    return SHORT


def _is_only_thread() -> bool:
    here = threading.current_thread()
    return all(each is here or each.name == THREAD for each in threading.enumerate())
