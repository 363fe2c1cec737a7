from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests.worker.github_app.publishing.documents import NOW, ROOT, SIGNED
from worker.report.page_links import DAY_SECONDS, LinkSigner, PageLinks


def test_private_links_open_for_as_long_as_promised():
    query = parse_qs(urlsplit(SIGNED.run("r1", private=True)).query)
    expires, sig = query["expires"][0], query["sig"][0]
    links = LinkSigner(b"secret")
    assert links.open("r1", expires, sig, NOW.timestamp() + SIGNED.seconds - 1)
    assert not links.open("r1", expires, sig, NOW.timestamp() + SIGNED.seconds + DAY_SECONDS + 1)
    assert not links.open("r2", expires, sig, NOW.timestamp())


def test_links_stay_the_same_for_a_day():
    later = PageLinks(ROOT, LinkSigner(b"secret"), 604_800, lambda: NOW.timestamp() - 3_600)
    latest = PageLinks(ROOT, LinkSigner(b"secret"), 604_800, lambda: NOW.timestamp() - 7_200)
    assert later.run("r1", private=True) == latest.run("r1", private=True)


def test_public_links_need_no_signature():
    assert SIGNED.run("r1", private=False) == f"{ROOT}/runs/r1"


@pytest.mark.parametrize("name", ["inputs/a b.png", "inputs/(x).png", "a\"'<>`#?&%.png", "ü.png"])
def test_names_of_files_are_quoted(name):
    address = SIGNED.file("r1", name, private=False)
    assert unquote(urlsplit(address).path) == f"/runs/r1/files/{name}"
    assert not set(address) & set(" ()<>\"'`#?")


@pytest.mark.parametrize("name", ["/etc/passwd", "../other/x.png", "a/../../x", "a\0b"])
def test_files_outside_the_run_have_no_link(name):
    assert SIGNED.file("r1", name, private=False) is None


def test_there_is_no_link_that_nobody_could_open():
    assert PageLinks(None, LinkSigner(b"s"), 60, NOW.timestamp).run("r1", private=False) is None
    assert PageLinks(ROOT, None, 60, NOW.timestamp).run("r1", private=True) is None
    assert PageLinks(ROOT, None, 60, NOW.timestamp).run("r1", private=False) is not None
