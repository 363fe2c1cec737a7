"""Temporary folders and files that carry their owner."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from worker.errors import MachineError
from worker.system.temporary_files import (
    PARTS,
    folder_of_all,
    owned_folder,
    replacement,
    sweep_folders,
    sweep_parts,
)

HOLDS = """
import sys, time
from pathlib import Path
from worker.system.temporary_files import owned_folder, replacement
root = Path(sys.argv[1])
with owned_folder("held") as folder, replacement(root / "file", root):
    (folder / "inside").write_text("x")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def holder(tmp_path):
    """Another process that holds a folder and writes a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path / "state")],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


def test_folder_is_private_and_goes(temporary):
    with owned_folder("trees") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.parent == folder_of_all()
        (folder / "sub").mkdir()
    assert not list(folder_of_all().iterdir())


@pytest.mark.slow
def test_locked_modes_and_deep_folders_go(temporary):
    with owned_folder("trees") as folder:
        deep = "/".join(["d"] * 1200)
        subprocess.run(["mkdir", "-p", "--", deep], cwd=folder, check=True)
        (folder / "closed").mkdir()
        (folder / "closed" / "file").touch()
        (folder / "closed").chmod(0)
    assert not list(folder_of_all().iterdir())


def test_what_lives_is_not_swept(holder, tmp_path):
    with owned_folder("mine") as mine:
        assert sweep_folders() == []
        assert sweep_parts(tmp_path / "state") == []
        assert mine.is_dir()
    assert len(list(folder_of_all().iterdir())) == 1
    assert len(list((tmp_path / "state" / PARTS).iterdir())) == 1


def test_what_the_dead_left_is_swept(holder, tmp_path):
    holder.kill()
    holder.wait()
    (name,) = sweep_folders()
    assert name.startswith("held-")
    assert len(sweep_parts(tmp_path / "state")) == 1
    assert not list(folder_of_all().iterdir())
    assert not list((tmp_path / "state" / PARTS).iterdir())


def test_links_are_not_followed(temporary):
    folder_of_all().mkdir()
    outside = temporary / "outside"
    outside.mkdir()
    (outside / "precious").touch()
    (folder_of_all() / "link").symlink_to(outside)
    (folder_of_all() / "stale").mkdir()
    (folder_of_all() / "stale" / "link").symlink_to(outside)
    assert sweep_folders() == ["stale"]
    assert (outside / "precious").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_other_users_are_left_alone(temporary):
    with owned_folder("mine"):
        pass
    theirs = folder_of_all() / "theirs"
    theirs.mkdir()
    os.chown(theirs, 4242, 4242)
    assert sweep_folders() == []
    os.chown(folder_of_all(), 4242, 4242)
    with pytest.raises(MachineError, match="someone else"), owned_folder("mine"):
        pass


def test_sweepers_and_makers_do_not_disturb_each_other(temporary):
    def make(number):
        with owned_folder("busy") as folder:
            (folder / "file").write_text(str(number))
            return (folder / "file").read_text() == str(number)

    with ThreadPoolExecutor(4) as pool:
        made = [pool.submit(make, number) for number in range(200)]
        swept = [pool.submit(sweep_folders) for _ in range(50)]
        assert all(future.result() for future in made)
        assert sum(len(future.result()) for future in swept) <= 200
    sweep_folders()
    assert not list(folder_of_all().iterdir())


def test_replacement_is_whole_or_nothing(tmp_path):
    place = tmp_path / "store" / "a" / "file"
    with replacement(place, tmp_path / "store") as part:
        part.write(b"first")
    assert place.read_bytes() == b"first"
    with pytest.raises(KeyError), replacement(place, tmp_path / "store") as part:
        part.write({}["half"])
    assert place.read_bytes() == b"first"
    assert not list((tmp_path / "store" / PARTS).iterdir())


@pytest.mark.slow
def test_folder_that_cannot_be_made_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    with pytest.raises(MachineError, match="temporary folder"), owned_folder("mine"):
        pass
