"""Tables of layers are written so that their differences can be read."""

import json

from analyzers.assembly import layer_tables
from benchmarks.layers_survey.layer_text import missing
from benchmarks.layers_survey.table_text import written

ROWS = [
    {"name": "torch.nn.B", "parameters": []},
    {
        "name": "torch.nn.A",
        "parameters": [{"name": "c", "kinds": ["int"]}, {"name": "g", "kinds": ["int", "none"]}],
    },
]


def test_written_is_sorted_and_read_again():
    text = written("2.10.0", ROWS)
    assert text == written("2.10.0", ROWS[::-1])
    assert [row["name"] for row in json.loads(text)["layers"]] == ["torch.nn.A", "torch.nn.B"]
    assert [*layer_tables.read(text)] == ["torch.nn.A", "torch.nn.B"]


def test_a_parameter_takes_a_line():
    lines = written("2.10.0", ROWS).splitlines()
    assert sum('"kinds"' in line for line in lines) == 2
    assert not any(line.count('"kinds"') > 1 for line in lines)


def test_nothing_known_is_said_with_what_is():
    assert missing("2.13.0") is None
    assert "known: " in (missing("0.1") or "")
