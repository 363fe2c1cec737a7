"""Configuration of gunicorn: ``--config python:app.gunicorn_config``."""

from __future__ import annotations

import gc
import logging
import sys

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from worker.system import logs

worker_class = "gthread"
threads = 32
timeout = 30
graceful_timeout = 25
keepalive = 75
control_socket_disable = True
logger_class = "app.gunicorn_config.JsonLogger"


SWITCH_SECONDS = 0.001


def post_worker_init(_worker: object) -> None:
    """Leave what was loaded to itself: looking through it takes a tenth of a second.

    Threads take shorter turns too, so that the one that writes does not wait
    for those that read.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)


class JsonLogger(Logger):  # type: ignore[misc] # gunicorn is not typed
    """Gunicorn's own lines, as lines of JSON like all others."""

    def setup(self, cfg: object) -> None:
        """Hand everything to the root's handler."""
        super().setup(cfg)  # pyright: ignore[reportArgumentType]
        logs.configure()
        for log in (self.error_log, self.access_log):
            log.handlers[:] = []
            log.propagate = True
        self.error_log.setLevel(logging.INFO)
