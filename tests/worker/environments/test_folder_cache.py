"""Folders that are made once, by whoever comes first, and kept while used."""

import json
import multiprocessing
import os
import signal
import time

import pytest

from worker.environments.folder_cache import MANIFEST, FolderCache

PATIENCE = 600.0
fork = multiprocessing.get_context("fork")


def filled(size=10):
    def make(folder):
        (folder / "content").write_text("whole")
        (folder / MANIFEST).write_text(json.dumps({"size": size}))

    return make


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def cache(tmp_path):
    return FolderCache(tmp_path, 100)


def test_what_is_made_is_lent_again(cache):
    with cache.made("a", filled(), PATIENCE) as first:
        assert (first.path / "content").read_text() == "whole"
    with cache.made("a", pytest.fail, PATIENCE) as again:
        assert again.path == first.path
    assert cache.lent("b") is None


def test_two_processes_make_it_once(cache, tmp_path):
    def slowly(folder):
        with (tmp_path / "makers").open("a") as log:
            log.write(f"{os.getpid()}\n")
        wait_for((tmp_path / "go").exists)
        filled()(folder)

    def use():
        with cache.made("a", slowly, PATIENCE) as lease:
            assert (lease.path / "content").read_text() == "whole"

    users = [fork.Process(target=use) for _ in range(3)]
    for user in users:
        user.start()
    wait_for((tmp_path / "makers").exists)
    (tmp_path / "go").touch()
    for user in users:
        user.join(PATIENCE)
    assert [user.exitcode for user in users] == [0, 0, 0]
    assert len((tmp_path / "makers").read_text().splitlines()) == 1


def test_failed_making_leaves_nothing(cache, tmp_path):
    def broken(folder):
        (folder / "half").touch()
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        cache.made("a", broken, PATIENCE)
    assert list((tmp_path / "building").iterdir()) == []
    assert cache.lent("a") is None


def test_killed_maker_leaves_nothing_and_blocks_nobody(cache, tmp_path):
    def endless(folder):
        (folder / "half").touch()
        (tmp_path / "begun").touch()
        time.sleep(PATIENCE)

    maker = fork.Process(target=lambda: cache.made("a", endless, PATIENCE))
    maker.start()
    wait_for((tmp_path / "begun").exists)
    assert cache.lent("a") is None
    os.kill(maker.pid, signal.SIGKILL)
    maker.join(PATIENCE)
    with cache.made("a", filled(), PATIENCE) as lease:
        assert (lease.path / "content").exists()
    assert list((tmp_path / "building").iterdir()) == []


def test_sweeping_spares_what_is_being_made(cache, tmp_path):
    def make(folder):
        FolderCache(tmp_path, 100).sweep()
        filled()(folder)

    with cache.made("a", make, PATIENCE) as lease:
        assert (lease.path / "content").exists()


def test_waiting_for_another_ends(cache):
    def impatient(folder):
        with pytest.raises(TimeoutError):
            cache.made("a", pytest.fail, 0.2)
        filled()(folder)

    cache.made("a", impatient, PATIENCE).close()


def test_least_recently_used_goes_first(cache, tmp_path):
    roomy = FolderCache(tmp_path, 1000)
    for age, key in enumerate(("old", "older", "oldest")):
        roomy.made(key, filled(40), PATIENCE).close()
        os.utime(tmp_path / "locks" / key, (1000 - age, 1000 - age))
    cache.evict()
    assert cache.keys() == ["older", "old"]
    cache.lent("older").close()
    cache.made("new", filled(40), PATIENCE).close()
    assert cache.keys() == ["older", "new"]


def test_what_is_in_use_stays(cache):
    with cache.made("used", filled(90), PATIENCE):
        cache.made("new", filled(90), PATIENCE).close()
        assert set(cache.keys()) == {"used", "new"}
    cache.evict()
    assert len(cache.keys()) == 1
