"""What comes from the index and out of a build is data: what is refused, and as what."""

import hashlib
import io
import tarfile
import time
import warnings
import zipfile
from base64 import b64encode

import pytest
from packaging.version import Version

from tests.worker.environments.index import PackageIndex, archived
from tests.worker.environments.sdists import record, recorded, zipped
from worker.environments.sdists.sandboxed_build import BuiltWheel, checked_wheel
from worker.environments.sdists.sdist_builder import SimpleIndex
from worker.environments.sdists.source_distribution import (
    LEGACY,
    NotBuilt,
    Sdist,
    SdistRequirement,
    read_build_system,
)
from worker.environments.uv import Index, Unreachable

SDIST = Sdist("evil", Version("1.0"), "", "")
NAME = "evil-1.0-py3-none-any.whl"
GOOD = recorded("evil", "1.0", {"evil.py": "x = 1\n"})
INFO = "evil-1.0.dist-info"
LINK, DEVICE = 0o120777, 0o020666


def without(path):
    return {each: text for each, text in GOOD.items() if each != path}


def entry(path, mode, text="/etc/passwd"):
    """A good wheel with one more entry of some kind."""
    content = io.BytesIO(zipped(recorded("evil", "1.0", {"evil.py": "x = 1\n"})))
    with zipfile.ZipFile(content, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        info = zipfile.ZipInfo(path)
        info.external_attr = mode << 16
        archive.writestr(info, text)
    return content.getvalue()


def programs(line):
    text = f"[console_scripts]\n{line}\n"
    return zipped(recorded("evil", "1.0", {f"{INFO}/entry_points.txt": text}))


def swollen():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(3):
            archive.writestr(f"{number}.py", bytes(400 << 10))
    return content.getvalue()


WHEELS = {
    "no zip": (b"PK", "cannot be read"),
    "an absolute path": (entry("/etc/evil.py", 0), "a file /etc/evil.py"),
    "a way up": (entry("evil/../../up.py", 0), "a file evil/../../up.py"),
    "a way up, as Windows has it": (entry("..\\up.py", 0), "a file"),
    "an escape in a name": (entry("\x1b[31m.py", 0), r"a file \?\[31m"),
    "a link": (entry("link.py", LINK), "link.py, which is no file"),
    "a device": (entry("null", DEVICE), "null, which is no file"),
    "a name twice": (entry("evil.py", 0), "evil.py twice"),
    "too much": (swollen(), "more than 1 MiB"),
    "a file that is not recorded": (entry("more.py", 0), "differ in more.py"),
    "a record without a file": (zipped(without("evil.py")), "differ in evil.py"),
    "a wrong record": (zipped({**GOOD, "evil.py": "x = 2\n"}), "wrong about evil.py"),
    "no record": (zipped(without(f"{INFO}/RECORD")), "metadata of one package"),
    "no metadata": (zipped({"evil.py": ""}), "metadata of one package"),
    "metadata of two": (
        zipped({**GOOD, **recorded("other", "1.0", {})}),
        "metadata of one package",
    ),
    "metadata of another": (zipped(recorded("other", "1.0", {})), "says that it is other 1.0"),
    "metadata of another version": (zipped(recorded("evil", "2", {})), "says that it is evil 2"),
    "another name inside": (
        zipped(
            {
                **(texts := {f"{INFO}/METADATA": "Name: x\nVersion: 1.0\n", f"{INFO}/WHEEL": ""}),
                f"{INFO}/RECORD": record(texts) + f"{INFO}/RECORD,,\n",
            }
        ),
        "says that it is x 1.0",
    ),
    "an unknown scheme": (
        zipped(recorded("evil", "1.0", {"evil-1.0.data/etc/x": ""})),
        "a file evil-1.0.data/etc/x",
    ),
    "a program elsewhere": (programs("../../bin/sh = evil:main"), "an entry point ../../bin/sh"),
    "a program elsewhere, said otherwise": (programs("../sh : evil"), "an entry point ../sh"),
}


@pytest.fixture
def little(monkeypatch):
    for module in ("source_distribution", "sandboxed_build"):
        monkeypatch.setattr(f"worker.environments.sdists.{module}.MOST_UNPACKED", 1 << 20)
        monkeypatch.setattr(f"worker.environments.sdists.{module}.MOST_FILES", 100)
    monkeypatch.setattr(
        "worker.environments.sdists.source_distribution.LARGEST_SETTINGS", 500 << 10
    )


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("case", WHEELS)
def test_bad_wheel_is_refused_and_named(case, tmp_path):
    content, said = WHEELS[case]
    with pytest.raises(NotBuilt, match=said) as refused:
        checked_wheel(BuiltWheel(NAME, content), SDIST, "3.11.7", tmp_path)
    assert str(refused.value).isprintable()
    assert list(tmp_path.iterdir()) == []


NAMES = {
    "evil-1.0-cp27-cp27m-win32.whl": "another platform",
    "evil.py": "no name of a wheel",
    "../evil-1.0-py3-none-any.whl": "its wheel",
    "other-1.0-py3-none-any.whl": "its wheel is other 1.0",
}


@pytest.mark.parametrize("name", NAMES)
def test_bad_name_is_refused(name, tmp_path):
    with pytest.raises(NotBuilt, match=NAMES[name]):
        checked_wheel(BuiltWheel(name, zipped(GOOD)), SDIST, "3.11.7", tmp_path)


def test_good_wheel_is_packed_anew(tmp_path):
    content = b"#!/bin/sh\n" + zipped(GOOD)
    wheel = checked_wheel(BuiltWheel(NAME, content), SDIST, "3.11.7", tmp_path)
    written = wheel.path.read_bytes()
    assert written.startswith(b"PK")
    assert wheel.hash == f"sha256:{hashlib.sha256(written).hexdigest()}"
    with zipfile.ZipFile(wheel.path) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == GOOD


def long_header():
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("evil-1.0/a")
        member.pax_headers = {"comment": "1" * 100_000}
        archive.addfile(member)
    return content.getvalue()


def linked():
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        member = tarfile.TarInfo("evil-1.0/pyproject.toml")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    return content.getvalue()


def settings(text):
    return archived({"evil-1.0/pyproject.toml": text})


SOURCES = {
    "no archive": (b"x", "cannot be read"),
    "half an archive": (settings("[build-system]")[:-20], "cannot be read"),
    "a header that is slow to read": (long_header(), "a header that is too long"),
    "a link": (linked(), "no file"),
    "too many files": (archived(dict.fromkeys(map(str, range(102)), "")), "more than 100 files"),
    "too much": (archived({"a": "0" * (2 << 20)}), "more than 1 MiB"),
    "large settings": (settings("#" * (800 << 10)), "too large"),
    "no TOML": (settings("x"), "no TOML"),
    "a list": (settings("build-system = []"), "no table"),
    "requirements that are none": (settings("build-system.requires = [1]"), "PEP 518"),
    "a backend that is none": (
        settings("[build-system]\nrequires = []\nbuild-backend = 1"),
        "no build backend",
    ),
}


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("case", SOURCES)
def test_bad_source_is_refused_and_named(case, tmp_path):
    content, said = SOURCES[case]
    (tmp_path / "source.tar.gz").write_bytes(content)
    with pytest.raises(NotBuilt, match=said):
        read_build_system(tmp_path / "source.tar.gz")


@pytest.mark.parametrize("files", [{"evil-1.0/setup.py": ""}, {"evil-1.0/pyproject.toml": ""}])
def test_source_without_settings_is_built_as_of_old(files, tmp_path):
    (tmp_path / "source.tar.gz").write_bytes(archived(files))
    assert read_build_system(tmp_path / "source.tar.gz") == LEGACY


def asked(url, secret=None):
    return SimpleIndex(Index(url, secret), time.monotonic() + 60)


def test_newest_source_that_will_do_is_chosen(index):
    for version in ("1.0", "1.5", "2.0", "2.1a1"):
        index.source("carved", version, {})
    index.add("carved", "carved-9.0.zip", b"")
    index.add("carved", "carved-8.0-py3-none-any.whl", b"")
    index.source("carved", "3.0", {})
    index.about("carved-3.0.tar.gz", **{"requires-python": ">=3.99"})
    index.source("carved", "4.0", {})
    index.about("carved-4.0.tar.gz", yanked="broken")
    found = {
        specifier: str(
            asked(index.url).find(SdistRequirement("carved", specifier), "3.11.7").version
        )
        for specifier in ("", "<2", "==2.1a1", "==4.0")
    }
    assert found == {"": "2.0", "<2": "1.5", "==2.1a1": "2.1a1", "==4.0": "4.0"}


@pytest.mark.parametrize("specifier", ["==9.9", "==4.x", "==1.0,==2.0"])
def test_version_that_is_not_there_is_named(specifier, index):
    index.source("carved", "1.0", {})
    with pytest.raises(NotBuilt):
        asked(index.url).find(SdistRequirement("carved", specifier), "3.11.7")


def test_source_without_a_hash_is_not_used(index):
    index.source("carved", "1.0", {})
    index.about("carved-1.0.tar.gz", hashes={})
    with pytest.raises(NotBuilt, match="with a hash"):
        asked(index.url).find(SdistRequirement("carved"), "3.11.7")


def test_source_with_another_hash_is_not_used(index, tmp_path):
    index.source("carved", "1.0", {})
    index.about("carved-1.0.tar.gz", hashes={"sha256": "0" * 64})
    found = asked(index.url).find(SdistRequirement("carved"), "3.11.7")
    with pytest.raises(NotBuilt, match="hash"):
        asked(index.url).download(found, tmp_path / "source")


def test_page_of_links_is_read(index):
    digest = index.source("carved", "1.0", {})
    index.html = True
    found = asked(index.url).find(SdistRequirement("carved"), "3.11.7")
    assert (str(found.version), found.hash) == ("1.0", digest)


def test_secret_goes_to_the_index_alone(index, tmp_path):
    with PackageIndex() as other:
        other.source("carved", "1.0", {})
        index.source("carved", "1.0", {})
        index.about("carved-1.0.tar.gz", url=other.url.replace("simple", "files/carved-1.0.tar.gz"))
        simple = asked(index.url, "me:hush")
        simple.download(simple.find(SdistRequirement("carved"), "3.11.7"), tmp_path / "source")
    assert index.logins == [f"Basic {b64encode(b'me:hush').decode()}"]
    assert other.logins == [None]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "//[x"])
def test_source_comes_over_the_web_alone(url, index, tmp_path):
    index.source("carved", "1.0", {})
    index.about("carved-1.0.tar.gz", url=url)
    with pytest.raises((NotBuilt, Unreachable)):
        asked(index.url).download(
            asked(index.url).find(SdistRequirement("carved"), "3.11.7"), tmp_path / "source"
        )


def test_index_that_does_not_answer_is_unreachable():
    with pytest.raises(Unreachable, match="cannot be asked"):
        asked("http://127.0.0.1:9/simple").find(SdistRequirement("carved"), "3.11.7")
