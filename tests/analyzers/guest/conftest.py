import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.analyzers.guest.guests import PROJECTS, GuestAtHand
from tests.analyzers.guest.zygotes import Zygote


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter without any package."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return str(folder / "bin" / "python")


@pytest.fixture(scope="session")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    """A process that has imported the guest's half and forks guests."""
    zygote = Zygote(tmp_path_factory.mktemp("zygote"), "_assayer_guest.main")
    yield zygote
    zygote.close()


@pytest.fixture
def start(tmp_path: Path, zygote: Zygote) -> Iterator[Callable[..., GuestAtHand]]:
    """Starts a guest on one of the sample projects, or on a folder."""
    started: list[GuestAtHand] = []

    def begin(project: str | Path, python: str | None = None) -> GuestAtHand:
        root = PROJECTS / project
        ready = {"python": python} if python else {"zygote": zygote}
        guest = GuestAtHand(tmp_path, root, **ready)
        started.append(guest)
        return guest

    yield begin
    for guest in started:
        guest.close()
