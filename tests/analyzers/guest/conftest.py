import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.analyzers.guest.guests import PROJECTS, GuestAtHand


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter without any package."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return str(folder / "bin" / "python")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., GuestAtHand]]:
    """Starts a guest on one of the sample projects, or on a folder."""
    started: list[GuestAtHand] = []

    def begin(project: str | Path, **options: str) -> GuestAtHand:
        root = PROJECTS / project
        guest = GuestAtHand(tmp_path, root, **options)
        started.append(guest)
        return guest

    yield begin
    for guest in started:
        guest.close()
