"""Which libraries a stand-in took the place of, and which of them the runs used."""

import pytest

from tests.analyzers.guest.guests import literal, probe

APP = """\
import vanished
from functools import nothing_of_the_kind
from vanished.nn import Module
from google.cloud import vision
from shop.own import gone

SCALE = vanished.scale()
FACTOR = vanished.factor


def plain(x):
    return x + 1


def called(x):
    return vanished.call(x)


def scaled(x):
    return x * SCALE


def compared(x):
    return isinstance(x, vanished.Tensor)


def late(x):
    import nowhere

    return nowhere.call(x)


def asking(x):
    return vision.ImageAnnotatorClient() and x


def named(x):
    return nothing_of_the_kind(x)


def own(x):
    return gone(x)


def walked(x):
    count = 0
    part = vanished.text
    while part and count < 30_000:
        part = part[10:].rest
        count += 1
    return count


class Net(Module):
    def forward(self, x):
        return self.layer(x)
"""


@pytest.fixture
def guest(start, tmp_path):
    def guest(function):
        root = tmp_path / "project"
        (root / "shop").mkdir(parents=True)
        (root / "app.py").write_text(APP)
        (root / "shop" / "__init__.py").write_text("")
        (root / "shop" / "own.py").write_text("")
        found = start(root)
        found.reply = found.prepare("app.py", function)
        return found

    return guest


@pytest.mark.parametrize(
    ("function", "used"),
    [
        ("plain", []),
        ("called", ["vanished"]),
        ("scaled", ["vanished"]),
        ("compared", ["vanished"]),
        ("late", ["nowhere"]),
        ("asking", []),
        ("named", ["functools.nothing_of_the_kind"]),
        ("own", []),
        ("Net.forward", ["vanished"]),
    ],
)
def test_used_stand_ins_are_told(guest, function, used):
    found = guest(function)
    assert found.reply["replaced"] == ["vanished", "functools.nothing_of_the_kind"]
    found.run(probe(x=literal(2)))
    assert found.used == used


def test_part_of_a_part_of_a_stand_in_costs_no_more(guest):
    found = guest("walked")
    (result,) = found.run(probe(x=literal(2)))
    assert result["ending"]["value"] == "30000"
    assert found.used == ["vanished"]


def test_each_batch_tells_its_own(guest):
    found = guest("called")
    found.run(probe(x=literal(2)), probe(x=literal(3)))
    assert found.used == ["vanished"]
    found.run()
    assert found.used == []


def test_what_drawn_inputs_use_is_told(guest):
    terms = {"arguments": {"x": "ints(min=0, max=9)"}, "requires": [], "ensures": []}
    terms |= {"constructor": None, "examples": []}
    frame = {"contract": terms, "generators": {}, "first": [], "examples": 3, "seconds": 20.0}
    frame |= {"timeout": 5.0, "seed": 0, "layer": None}
    assert guest("called").said({"type": "explore", **frame})["used"] == ["vanished"]


def test_library_that_fails_to_load_is_replaced(start, tmp_path):
    site = tmp_path / "site-packages"
    site.mkdir()
    (site / "brittle.py").write_text("raise OSError('libsomething.so: cannot open')")
    code = f"import sys; sys.path.append({str(site)!r})\nimport brittle as b\n"
    root = tmp_path / "project"
    root.mkdir()
    (root / "app.py").write_text(f"{code}def called(x):\n    return b.call(x)\n")
    found = start(root)
    assert found.prepare("app.py", "called")["replaced"] == ["brittle"]
    found.run(probe(x=literal(2)))
    assert found.used == ["brittle"]
