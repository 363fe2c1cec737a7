"""Blobs are put as a whole or not at all, under keys that lead nowhere else."""

import threading
import uuid

import pytest

from worker.errors import MachineError
from worker.store.blobs import Blobs


@pytest.fixture(params=["folder", "file", "memory"])
def blobs(request, tmp_path):
    place = tmp_path / "blobs and more"
    urls = {"folder": str(place), "file": place.as_uri(), "memory": f"memory://{uuid.uuid4().hex}"}
    return Blobs(urls[request.param])


def test_what_is_put_is_read(blobs):
    blobs.put("runs/1/report.html", b"<p>")
    assert blobs.read("runs/1/report.html") == b"<p>"
    assert blobs.size("runs/1/report.html") == 3
    with blobs.open("runs/1/report.html") as file:
        assert file.read(1) == b"<"
    blobs.put("runs/1/report.html", b"")
    assert (blobs.read("runs/1/report.html"), blobs.size("runs/1/report.html")) == (b"", 0)


@pytest.mark.parametrize("key", ["runs/2/a.txt", "runs", "runs/1", "runs/1/a.txt/deeper"])
def test_missing_key_is_not_found(blobs, key):
    blobs.put("runs/1/a.txt", b"a")
    for ask in (blobs.open, blobs.size, blobs.read):
        with pytest.raises(FileNotFoundError):
            ask(key)


@pytest.mark.parametrize(
    "key",
    [
        *("", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", ".", "a/./b"),
        *("a\\b", "a\0b", "a\nb", "a/" * 600 + "b", "x" * 256, "a.partial"),
    ],
)
def test_keys_lead_nowhere_else(blobs, key):
    asks = (blobs.open, blobs.size, blobs.remove, blobs.keys, lambda key: blobs.put(key, b"x"))
    for ask in asks:
        with pytest.raises(ValueError, match="no key"):
            ask(key)


def test_folder_goes_and_comes_back(blobs, tmp_path):
    source = tmp_path / "source"
    (source / "inputs" / "deep").mkdir(parents=True)
    (source / "report.html").write_bytes(b"r")
    (source / "inputs" / "deep" / "é 1.png").write_bytes(b"\x89")
    (source / "secret").symlink_to("/etc/passwd")
    blobs.put_folder("runs/1", source)
    assert blobs.keys("runs/1") == ("runs/1/inputs/deep/é 1.png", "runs/1/report.html")
    assert blobs.read("runs/1/inputs/deep/é 1.png") == b"\x89"


def test_file_goes_and_comes_back(blobs, tmp_path):
    (tmp_path / "clone.tar").write_bytes(b"tar" * 1_000_000)
    blobs.put_file("clones/r.tar", tmp_path / "clone.tar")
    assert blobs.size("clones/r.tar") == 3_000_000
    assert blobs.read("clones/r.tar") == b"tar" * 1_000_000


def test_names_are_those_directly_below(blobs):
    for key in ("runs/1/a", "runs/1/b/c", "runs/2/a", "clones/3.tar"):
        blobs.put(key, b"x")
    assert blobs.names("runs") == ("1", "2")
    assert blobs.names("runs/1") == ("a", "b")
    assert blobs.names("clones") == ("3.tar",)
    assert blobs.names("nothing") == ()


def test_removal_takes_a_key_or_all_below(blobs):
    for key in ("runs/1/a", "runs/1/b/c", "runs/10/a"):
        blobs.put(key, b"x")
    blobs.remove("runs/1")
    assert blobs.keys("runs") == ("runs/10/a",)
    blobs.remove("runs/10/a")
    blobs.remove("runs/10/a")
    blobs.remove("never/was")
    assert blobs.keys("runs") == ()


def test_reader_never_sees_half_a_file(tmp_path):
    blobs, stop, seen = Blobs(str(tmp_path)), threading.Event(), set()
    blobs.put("a", b"0" * 100_000)

    def read():
        while not stop.is_set():
            content = blobs.read("a")
            seen.add((len(content), content[:1] == content[-1:]))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(50):
        blobs.put("a", b"%d" % (number % 10) * 100_000)
    stop.set()
    reader.join()
    assert seen == {(100_000, True)}


def test_failed_put_leaves_what_was_there(tmp_path):
    blobs = Blobs(str(tmp_path / "blobs"))
    blobs.put("a", b"old")
    with pytest.raises(TypeError):
        blobs.put("a", None)
    assert blobs.read("a") == b"old"
    assert [file.name for file in (tmp_path / "blobs").iterdir()] == ["a"]


def test_unknown_place_says_what_to_do():
    with pytest.raises(MachineError, match="fsspec"):
        Blobs("nowhere://bucket/x")
