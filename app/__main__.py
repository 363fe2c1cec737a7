"""``python -P -m app ADDRESS``: the web app as gunicorn serves it.

Gunicorn's own command imports from the current folder and reads the
``gunicorn.conf.py`` that lies there.
"""

from __future__ import annotations

import sys
from typing import Any

from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]

from app import gunicorn_config
from app.web import create_app


class Server(BaseApplication):  # type: ignore[misc] # gunicorn is not typed
    """The web app at one address."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def load_config(self) -> None:
        """Take the settings of ``app.gunicorn_config``, and no others."""
        for name in self.cfg.settings.keys() & vars(gunicorn_config).keys():
            self.cfg.set(name, getattr(gunicorn_config, name))
        self.cfg.set("bind", self._address)

    def load(self) -> Any:
        """Return the WSGI application."""
        return create_app()


if __name__ == "__main__":
    Server(sys.argv[1]).run()
