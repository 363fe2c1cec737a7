"""A prepared clone on its way, also when somebody tampered with it."""

from __future__ import annotations

import io
import tarfile

import pytest

from worker.errors import MachineError
from worker.store import blobs
from worker.store.blobs import pack, unpack


def archive(*members):
    """Each: a name, and the content or what else differs."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as opened:
        for name, what in members:
            member = tarfile.TarInfo(name)
            content = what if isinstance(what, bytes) else b""
            member.size = len(content)
            if isinstance(what, dict):
                for key, value in what.items():
                    setattr(member, key, value)
            opened.addfile(member, io.BytesIO(content))
    stream.seek(0)
    return stream


def test_folder_comes_out_as_it_went_in(tmp_path):
    folder = tmp_path / "in"
    (folder / "objects" / "pack").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "objects" / "pack" / "a.pack").write_bytes(b"\0\1")
    (folder / "link").symlink_to("/etc/passwd")
    pack(folder, tmp_path / "clone.tar")
    out = tmp_path / "out"
    out.mkdir()
    with (tmp_path / "clone.tar").open("rb") as stream:
        unpack(stream, out)
    assert (out / "objects" / "pack" / "a.pack").read_bytes() == b"\0\1"
    assert sorted(path.name for path in out.iterdir()) == ["empty", "objects"]


@pytest.mark.parametrize(
    "member",
    [
        ("../out-of-it", b"x"),
        ("a/../../out-of-it", b"x"),
        ("/out-of-it", b"x"),
        (".", b"x"),
        ("/etc/cron.d/x", {"type": tarfile.SYMTYPE, "linkname": "/etc"}),
        ("hard", {"type": tarfile.LNKTYPE, "linkname": "../../secret"}),
        ("device", {"type": tarfile.CHRTYPE}),
        ("pipe", {"type": tarfile.FIFOTYPE}),
    ],
)
def test_nothing_leads_out_of_the_folder(tmp_path, member):
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(MachineError):
        unpack(archive(member), folder)
    assert list(tmp_path.rglob("*")) == [folder]


def test_bounds_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(blobs, "MAX_FILES", 2)
    unpack(archive(("a", b""), ("b", b"")), tmp_path)
    with pytest.raises(MachineError, match="too large"):
        unpack(archive(("c", b""), ("d", b""), ("e", b"")), tmp_path)
    monkeypatch.setattr(blobs, "MAX_BYTES", 5)
    with pytest.raises(MachineError, match="too large"):
        unpack(archive(("f", b"123456")), tmp_path)


@pytest.mark.parametrize("cut", [0, 700, 1400])
def test_damage_is_told(tmp_path, cut):
    whole = archive(("a", b"x" * 1000), ("b", b"y" * 1000)).getvalue()
    with pytest.raises(MachineError, match="damaged"):
        unpack(io.BytesIO(whole[:cut] if cut else b"no archive at all" * 100), tmp_path)


@pytest.mark.parametrize("second", ["a", "a/b"])
def test_files_that_clash_are_damage(tmp_path, second):
    with pytest.raises(MachineError, match="damaged"):
        unpack(archive(("a", b"x"), (second, b"y")), tmp_path)


def test_only_whether_a_file_can_be_run_is_kept_of_its_mode(tmp_path):
    unpack(archive(("run", {"mode": 0o4777}), ("read", {"mode": 0o4666})), tmp_path)
    modes = {path.name: path.stat().st_mode & 0o7777 for path in tmp_path.iterdir()}
    assert modes["run"] == 0o755
    assert not modes["read"] & 0o7133


def test_python_without_filters_of_archives_unpacks_too(tmp_path, monkeypatch):
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    monkeypatch.delattr(tarfile.TarFile, "extract")
    unpack(archive(("a", b"x")), tmp_path)
    assert (tmp_path / "a").read_bytes() == b"x"
