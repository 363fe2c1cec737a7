"""The hooks of PEP 517, each in a child of its own."""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

LONGEST = 60_000
MOST_OPEN = 1024


class Backend:
    """A build backend, ``module:object``, for the source in a folder.

    ``paths`` are folders of the source that it is imported from.
    """

    def __init__(self, source: Path, name: str, paths: list[str]) -> None:
        self._source = source
        self._module, _, self._object = name.partition(":")
        self._paths = [str(source / path) for path in paths]

    def call(self, hook: str, *arguments: str, optional: bool = False) -> Any:
        """Return what a hook returns, as JSON has it.

        ``None`` where it is optional and not there.  Raises ``ValueError``
        where it fails; its output says why.
        """
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            self._run(writing, lambda: self._result(hook, arguments, optional=optional))
        os.close(writing)
        _, status = os.waitpid(child, 0)
        os.set_blocking(reading, False)
        try:
            said = os.read(reading, LONGEST) if status == 0 else b""
        except BlockingIOError:
            said = b""
        os.close(reading)
        if not said:
            raise ValueError(f"{hook} failed")
        return json.loads(said.decode("ascii"))

    def _run(self, writing: int, result: Any) -> None:
        """Write what comes of it into a pipe, and end."""
        status = 1
        try:
            os.closerange(3, writing)
            os.closerange(writing + 1, MOST_OPEN)
            os.chdir(self._source)
            sys.path[:1] = self._paths
            sys.argv[:] = ["build"]
            os.write(writing, json.dumps(result()).encode("ascii")[:LONGEST])
            status = 0
        except BaseException:  # noqa: BLE001 - whatever a backend throws
            traceback.print_exc()
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)

    def _result(self, hook: str, arguments: tuple[str, ...], *, optional: bool) -> Any:
        found: Any = importlib.import_module(self._module)
        for name in filter(None, self._object.split(".")):
            found = getattr(found, name)
        if optional and not hasattr(found, hook):
            return None
        return getattr(found, hook)(*arguments)
