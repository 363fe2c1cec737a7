"""What programs of this machine are started with: little of our own environment.

Ours may hold what references like ``env:NAME`` name, and nobody else needs it.
"""

from __future__ import annotations

import os

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment(*kept: str, **more: str) -> dict[str, str]:
    """The environment of a program: where programs lie, and what is named.

    ``kept`` are names of our own variables, where they are set; ``more`` are
    variables with their values.  ``PATH`` is the system's unless it is named.
    """
    ours = {name: os.environ[name] for name in kept if name in os.environ}
    return {"PATH": SEARCH_PATH} | ours | more
