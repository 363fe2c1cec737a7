"""Waiting that has become pointless: after a refusal nothing will change.

Retry loops (of google.api_core, botocore, urllib3, tenacity and the like) sleep
before they ask again.  Sleeping is what it always is until something was
refused in the run; from then on every sleep is short.  Time itself is not
changed, so that a loop up to a deadline ends at the run's time limit.
"""

from __future__ import annotations

import time
from types import ModuleType
from typing import Any, Callable

from .. import calls

SHORT = 0.001
"""Seconds; long enough that other threads come to run."""


def in_vain() -> bool:
    """Whether the run was refused something."""
    session = calls.session()
    return bool(session.outside) or session.refusal is not None


def patch_time() -> None:
    """Patch ``time.sleep``."""
    module: Any = time
    original: Callable[[float], None] = module.sleep

    def sleep(seconds: float, /) -> None:
        original(SHORT if in_vain() and seconds > SHORT else seconds)

    module.sleep = sleep


def patch_asyncio(module: ModuleType) -> None:
    """Patch ``asyncio.sleep``."""
    original: Any = module.sleep

    async def sleep(delay: float, result: Any = None) -> Any:
        return await original(SHORT if in_vain() and delay > SHORT else delay, result)

    vars(module)["sleep"] = sleep
    vars(module.tasks)["sleep"] = sleep
