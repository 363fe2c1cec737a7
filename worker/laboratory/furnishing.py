"""The trees of a laboratory, each with the environment that its code runs in."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from worker.environments import Environments, own_environment
from worker.laboratory.laboratory import Laboratory
from worker.sandbox.command import reachable_by_others
from worker.sandbox.isolation import Isolation
from worker.settings.server import Settings


@contextmanager
def furnished(
    laboratory: Laboratory,
    settings: Settings,
    paths: Sequence[str],
    tell: Callable[[str], None],
    *,
    offline: bool,
    checkout: Path | None = None,
) -> Generator[Laboratory]:
    """The laboratory with environments, in use until the block ends.

    They are what the trees declare for the files at ``paths``, or what the
    developer keeps in ``checkout``.
    """
    own = None if checkout is None else own_environment(checkout)
    with Environments(
        settings.environments,
        settings.sandbox.python,
        tell,
        offline=offline,
        obstacle=obstacle(laboratory.place.isolation, settings.environments.folder),
        isolation=laboratory.place.isolation,
    ) as environments:
        old = laboratory.base.root if laboratory.base.texts else None
        head, base = environments.of_trees(laboratory.head.root, old, paths, own)
        yield replace(
            laboratory,
            head=replace(laboratory.head, environment=head),
            base=replace(laboratory.base, environment=base),
        )


def obstacle(isolation: Isolation, folder: Path) -> str:
    """Why guests cannot use what lies in a folder: without mounts it must be open to their uid."""
    mounted = isolation.namespaces or not isolation.isolated or isolation.uids is None
    if mounted or reachable_by_others(folder):
        return ""
    return f"the sandbox's user cannot reach {folder}: set [environments] folder"
