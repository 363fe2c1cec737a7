"""Tables give the rows of the APIs asked for, checked, by the version that is installed."""

import json
from itertools import pairwise

import pytest

from analyzers.relations import table_folders
from analyzers.relations.relation_tables import InvalidTableError, line, table, tables
from analyzers.relations.table_rows import InvalidRowError, expression, judged

APIS = [
    {"name": "torch.abs", "parameters": ["input", "out"], "calls": 9, "status": "covered"},
    {"name": "torch.block_diag", "parameters": ["*tensors"], "calls": 2, "status": "covered"},
]


def relation(source, template, holds="value"):
    target = template.partition("(")[0]
    row = {"source": source, "target": target, "template": template}
    return {**row, "holds": holds, "inputs": 7}


RELATIONS = [
    relation("torch.abs", "torch.Tensor.sign(input)", "status"),
    relation("torch.abs", "torch.absolute(input)"),
    relation("torch.block_diag", "torch.cat(*tensors)", "status"),
    relation("torch.relu", "torch.nn.ReLU()(input)"),
]


def divergence(verdict, related="torch._refs.lcm(input, other)", **changes):
    return {
        "api": "torch.lcm",
        "rule": "crash",
        "relation": "reference",
        "related": related,
        "call": "torch.lcm(torch.tensor([-9223372036854775808]), torch.tensor(5))",
        "outcome": "SIGFPE",
        "expected": "tensor([…])",
        "judged": verdict,
        "note": "divides the smallest integer",
        **changes,
    }


@pytest.fixture
def shelf(tmp_path):
    """Writes a table; it is read until the test ends."""

    def write(name="torch-2.13.0", **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for file, rows in files.items():
            (folder / f"{file}.jsonl").write_text("".join(map(line, rows)), "utf-8")
        table_folders.add(tmp_path)

    yield write
    table_folders.remove(tmp_path)


def test_a_version_is_that_of_its_release(shelf):
    shelf(name="torch-0.1.0", relations=RELATIONS)
    assert table("torch", "0.1.0+cpu") is table("torch", "0.1.0")
    assert table("torch", "0.1.1") is None
    assert table("numpy", "0.1.0") is None


def test_a_table_of_the_very_version_comes_first(shelf):
    shelf(name="torch-0.1.0", relations=RELATIONS)
    shelf(name="torch-0.1.0+cpu", relations=RELATIONS[:1])
    assert table("torch", "0.1.0+cpu").version == "0.1.0+cpu"
    assert table("torch", "0.1.0+cu126").version == "0.1.0"
    assert [each.name for each in tables() if "-0." in each.name] == [
        "torch-0.1.0",
        "torch-0.1.0+cpu",
    ]


def test_what_was_judged_of_a_release_holds_for_its_builds(shelf):
    shelf(divergences=[divergence("bug")])
    shelf("torch-2.13.0+cpu", relations=RELATIONS)
    found = table("torch", "2.13.0+cpu")
    assert found.version == "2.13.0+cpu"
    assert [each.api for each in found.divergences(["torch.lcm"])] == ["torch.lcm"]


def test_relations_of_values_come_first(shelf):
    shelf(relations=RELATIONS, apis=APIS)
    found = table("torch", "2.13.0").equivalences(["torch.abs", "torch.unheard", "torch.relu"])
    assert [(each.kind, each.template) for each in found] == [
        ("value", "torch.absolute(input)"),
        ("status", "torch.Tensor.sign(input)"),
        ("value", "torch.nn.ReLU()(input)"),
    ]


def test_starred_parameters_are_parameters(shelf):
    shelf(relations=RELATIONS, apis=APIS)
    (found,) = table("torch", "2.13.0").equivalences(["torch.block_diag"])
    assert found.template == "torch.cat(*tensors)"


def test_what_was_judged_to_be_none_is_not_told(shelf):
    shelf(
        relations=RELATIONS,
        divergences=[
            divergence("bug"),
            divergence("false", related="the same call on float64"),
            divergence("documented"),
        ],
    )
    found = table("torch", "2.13.0")
    assert [each.note for each in found.divergences(["torch.lcm"])] == [
        "divides the smallest integer"
    ]
    assert found.dismissed(["torch.lcm"]) == {
        ("torch.lcm", "reference", "the same call on float64")
    }
    assert [each.verdict for each in found.judged(["torch.lcm"])] == ["bug", "false", "documented"]
    assert found.divergences(["torch.abs"]) == ()
    assert found.counts()["divergences"] == {"bug": 1, "false": 1, "documented": 1}


def test_what_is_built_stands_before_what_is_shipped_file_by_file(shelf, tmp_path):
    shelf(relations=RELATIONS, divergences=[divergence("bug")])
    newer = tmp_path / "newer"
    (newer / "torch-2.13.0").mkdir(parents=True)
    (newer / "torch-2.13.0" / "relations.jsonl").write_text(line(RELATIONS[0]))
    table_folders.add(newer)
    try:
        found = table("torch", "2.13.0")
        assert len(found.equivalences(["torch.abs"])) == 1
        assert len(found.divergences(["torch.lcm"])) == 1
    finally:
        table_folders.remove(newer)
    assert len(table("torch", "2.13.0").equivalences(["torch.abs"])) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"template": "torch.absolute(other)"},
        {"template": "torch.absolute(input.data_ptr.x)"},
        {"template": "torch.absolute(eval('1'))"},
        {"template": "torch.absolute(input).x"},
        {"template": "torch.absolute(input)(out)(input)"},
        {"target": "torch.add"},
        {"holds": "maybe"},
        {"inputs": True},
        {"more": 1},
    ],
    ids=str,
)
def test_a_row_that_says_something_else_is_refused(change, shelf):
    shelf(relations=[RELATIONS[1] | change], apis=APIS)
    found = table("torch", "2.13.0")
    with pytest.raises(InvalidTableError, match=r"relations\.jsonl"):
        found.equivalences(["torch.abs"])


@pytest.mark.parametrize("text", ["{}", "[1]", '{"target": "torch.abs"}', '{"source": "torch.abs'])
def test_what_is_no_row_is_refused(text, tmp_path, shelf):
    shelf(relations=[])
    (tmp_path / "torch-2.13.0" / "relations.jsonl").write_text(text + "\n")
    table_folders.clear_caches()
    with pytest.raises(InvalidTableError):
        table("torch", "2.13.0").equivalences(["torch.abs"])


def test_a_call_is_taken_apart():
    said = expression("torch.nn.Linear(3, torch.Size([1]))(tensor((2,), seed=1))")
    assert said.called == "torch.nn.Linear"
    assert said.functions == {"torch.nn.Linear", "torch.Size"}
    assert said.made == {"tensor"}


def test_calls_name_numbers_and_slices_of_python():
    call = 'torch.full((2,), complex(0.0, float("nan")))'
    assert judged(divergence("bug", call=call), "torch").divergence.call == call
    with pytest.raises(InvalidRowError, match="open is nothing of torch"):
        judged(divergence("bug", call="torch.abs(open('/etc/passwd'))"), "torch")


def test_a_number_is_no_call():
    with pytest.raises(InvalidRowError, match="no call"):
        expression("1")


SHIPPED = [each for each in tables() if each.is_shipped]


@pytest.mark.parametrize("shipped", SHIPPED, ids=[each.name for each in SHIPPED])
class TestWhatIsShipped:
    def test_every_row_is_read(self, shipped):
        assert shipped.equivalences(shipped.names)
        assert all(each.verdict for each in shipped.judged(shipped.names))
        assert shipped.known(shipped.names)

    def test_rows_are_sorted_and_there_once(self, shipped):
        for file, key in (
            (table_folders.RELATIONS, ("source", "target", "template")),
            (table_folders.DIVERGENCES, ("api", "relation", "related", "rule", "call")),
            (table_folders.APIS, ("name",)),
        ):
            lines = table_folders.table_file(shipped.name, file).read_text("utf-8").splitlines()
            keys = [tuple(json.loads(each)[name] for name in key) for each in lines]
            assert all(before < after for before, after in pairwise(keys)), file
