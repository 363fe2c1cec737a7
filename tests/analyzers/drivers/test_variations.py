"""Variations are Python that a person can read."""

import ast

import pytest

from analyzers.drivers.definitions import Definitions
from analyzers.drivers.usage_programs import Driver, Kind
from analyzers.drivers.variations import (
    Edit,
    Variations,
    batch_of_two,
    first_rounds,
    numbered,
    shrunk,
    varied,
)

NETS = """
class Base(nn.Module):
    def __init__(self, dim, scale=1.0, kind="sum"):
        if kind == "mean":
            self.kind = 1


class Net(Base):
    def __init__(self, dim, heads=4, learn=False, mask=None, **kwargs):
        super().__init__(dim, **kwargs)

    def forward(self, x, mask=None):
        return x

    @property
    def size(self):
        return 1
"""
PROGRAM = "net = Net(64, heads=8)\ny = net(torch.randn(2, 16, 64))\nassert y.shape[0] == 2"


@pytest.fixture(scope="module")
def variations():
    definitions = Definitions.of({"nets.py": NETS, "use.py": "Net(3, learn=True, mask='causal')"})
    driver = Driver("README.md:1", Kind.DOCUMENT, PROGRAM)
    return Variations(driver, definitions, {"learn": 1.0}, frozenset({"Net"}))


def texts(variations, kind):
    made = [each for each in variations.edits() if each.kind == kind]
    return [varied(variations.tree, [each]) for each in made]


TABLE = """
def plain(x, tol=1e-3):
    return x


METHODS = {"plain": plain, "other": given}


def direct(x, name="plain", **kwargs):
    return METHODS[name](x, **kwargs)


def by_a_name(x, name="plain", **kwargs):
    method = METHODS.get(name)
    return method(x, **kwargs)
"""


@pytest.mark.parametrize("function", ["direct", "by_a_name"])
def test_options_of_a_table_of_functions_are_those_of_the_call(function):
    definitions = Definitions.of({"means.py": TABLE})
    found = definitions.parameters(definitions.functions[function])
    assert [each.name for each in found] == ["x", "name", "tol"]


def test_program_itself_is_observed(variations):
    assert varied(variations.tree, ()).split("\n") == [
        "net = Net(64, heads=8)",
        "y = net(torch.randn(2, 16, 64))",
        "asserted_1 = y.shape[0] == 2",
    ]


def test_equal_numbers_change_together_and_alone(variations):
    found = "\n".join(texts(variations, "literal"))
    assert "Net(65, heads=8)\ny = net(torch.randn(2, 16, 65))" in found
    assert "Net(65, heads=8)\ny = net(torch.randn(2, 16, 64))" in found


def test_models_and_tensors_change_their_precision_together(variations):
    made = [each for each in variations.edits() if each.kind == "cast"]
    assert {each.says: each.guessed for each in made} == {
        "all in float16": True,
        "all in bfloat16": True,
        "all in float64": False,
    }
    scaled = next(each for each in variations.edits() if each.text == "it * 100")
    half = next(each for each in made if each.name == "float16")
    assert varied(variations.tree, [half, scaled]).split("\n")[:2] == [
        "net = Net(64, heads=8).half()",
        "y = net((torch.randn(2, 16, 64) * 100).half())",
    ]


def test_array_made_for_a_call_is_kept_where_a_change_of_it_shows(variations):
    (kept,) = (each for each in variations.edits() if each.kind == "kept")
    assert kept.says == "argument 1 kept as `given`"
    assert "y = net((given := torch.randn(2, 16, 64)))" in varied(variations.tree, [kept])


@pytest.mark.parametrize(
    "text",
    ["learn=True", "scale=0.5", "kind='mean'", "mask='causal'", "mask=torch.ones((2, 16)).bool()"],
)
def test_optional_arguments_get_values_that_the_code_knows(variations, text):
    assert any(text in each for each in texts(variations, "keyword"))


def test_forms_of_tensors_and_properties_of_objects(variations):
    assert any("torch.randn(2, 16, 64).double()" in each for each in texts(variations, "form"))
    assert any(each.endswith("also = net.size") for each in texts(variations, "after"))


def test_kinds_take_turns(variations):
    assert len({each.kind for each in variations.edits()[:8]}) >= 4


def test_every_variation_is_python_and_another_program(variations):
    edits = variations.edits()
    found = [varied(variations.tree, [each]) for each in edits]
    assert len(edits) > 60
    for each in found:
        ast.parse(each)
    assert varied(variations.tree, ()) not in found


def test_edits_of_several_places_go_together(variations):
    edits = [each for each in variations.edits() if each.kind in ("keyword", "literal")][:2]
    one, two = ({*varied(variations.tree, [each]).split("\n")} for each in edits)
    assert {*varied(variations.tree, edits).split("\n")} not in (one, two)


def test_what_a_program_prints_is_observed():
    tree = numbered("print(f(1))\nf(2)\nnet.eval()")
    assert varied(tree, ()).split("\n") == ["outcome_1 = f(1)", "outcome_2 = f(2)", "net.eval()"]


def test_large_numbers_shrink():
    tree = numbered("f(1024, 8, 256)")
    assert [each.text for each in shrunk(tree, 0)] == ["64", "16"]


def test_numbers_of_one_tree_are_not_those_of_another():
    first = numbered("x = 1")
    numbered("y = [1, 2, 3, 4]\nz = y")
    assert varied(first, [Edit("literal", (99,), "2")]) == "x = 1"


def test_loops_have_their_first_round_alone():
    tree = numbered("for n in range(9):\n    for x in DTYPES:\n        f(n, x)")
    edits = first_rounds(tree, 0)
    assert [each.says for each in edits] == ["`next(iter(range(9)))`", "`next(iter(DTYPES))`"]
    assert varied(tree, edits).split("\n") == [
        "n = next(iter(range(9)))",
        "x = next(iter(DTYPES))",
        "outcome_1 = f(n, x)",
    ]


def test_loops_whose_rounds_are_left_stay_loops():
    tree = numbered("for n in range(9):\n    if n > 3:\n        break")
    assert varied(tree, first_rounds(tree, 0)).startswith("for n in [next(iter(range(9)))]:")


def test_round_is_that_of_the_element_with_a_name():
    tree = numbered("kinds = [Plain(3), Spline(4), Spline(5)]\nfor each in kinds:\n    each(x)")
    assert "each = kinds[1]" in varied(tree, first_rounds(tree, 0, {"Spline"}))
    assert "each = next(iter(kinds))" in varied(tree, first_rounds(tree, 0, {"Other"}))


ARRAYS = "import numpy\n\n\ndef average(x, weights=None):\n    return x\n"


def test_arrays_have_forms_of_arrays_and_no_values_of_torch():
    made = variations_of("import numpy as np\nmade = average(np.ones((4, 2)))", ARRAYS)
    forms = texts(made, "form")
    assert any("np.ones((4, 2)).astype('float32')" in each for each in forms)
    every = [varied(made.tree, [each]) for each in made.edits()]
    assert any("numpy.random.seed(1)" in each for each in every)
    assert not any("torch" in each for each in every)


def variations_of(program, code):
    driver = Driver("README.md:1", Kind.DOCUMENT, program)
    return Variations(driver, Definitions.of({"a.py": code}), {}, frozenset({"average"}))


def test_layers_of_the_library_get_buffers_and_no_forms_of_tensors():
    code = "def average(model, x):\n    return x\n"
    program = (
        "net = torch.nn.Linear(4, 3)\nmade = average(net, x)\nalso = average(nn.Conv2d(1, 2, 3), x)"
    )
    made = texts(variations_of(program, code), "form")
    assert any(
        "average(torch.nn.Sequential(net, torch.nn.BatchNorm1d(net.out_features))" in m
        for m in made
    )
    assert any("BatchNorm2d(nn.Conv2d(1, 2, 3).out_channels)" in m for m in made)
    assert any("average(net.requires_grad_(False)" in m for m in made)
    assert not any("net[:1]" in m or "net * 0" in m for m in made)


def test_given_mask_becomes_false_in_part():
    code = "def average(x, mask=None):\n    return x\n"
    program = "mask = torch.ones(2, 4).bool()\nmade = average(x, mask=mask)"
    made = texts(variations_of(program, code), "form")
    assert any("mask=torch.rand(mask.shape) > 0.5" in m for m in made)
    assert any("mask=mask & (torch.arange(mask.shape[-1]) * 2 < mask.shape[-1])" in m for m in made)


def test_seeds_are_exchanged_as_statements_alone():
    program = "torch.manual_seed(42)\nmade = average(7)"
    made = texts(variations_of(program, "def average(x):\n    return x\n"), "literal")
    assert made
    assert all("torch.manual_seed(42)" in each for each in made)


def test_objects_are_used_by_the_protocols_of_their_class():
    code = (
        "class Bag:\n    def __len__(self):\n        return 0\n"
        "    def keys(self):\n        return []\n"
        "    def __getitem__(self, key):\n        return key\n"
    )
    made = texts(variations_of("bag = Bag()\nfirst = bag.keys()", code), "after")
    assert any(each.endswith("also = len(bag)") for each in made)
    assert any(each.endswith("also = [bag[key] for key in bag.keys()]") for each in made)
    assert not any("repr(" in each or "bag[0]" in each for each in made)


@pytest.mark.parametrize(
    ("program", "batched"),
    [
        (
            "x = torch.randn(1, 3)\nmask = torch.ones((1, 3))\ny = f(x, 1)",
            "x = torch.randn(2, 3)\nmask = torch.ones((2, 3))\ny = f(x, 1)",
        ),
        ("x = np.zeros([1, 4, 1])", "x = np.zeros([2, 4, 1])"),
        ("x = torch.randint(0, 9, (1, 8))", "x = torch.randint(0, 9, (2, 8))"),
    ],
)
def test_batch_of_one_becomes_one_of_two(program, batched):
    tree = numbered(program)
    assert varied(tree, batch_of_two(tree, 0)) == batched


def test_sizes_that_are_no_batch_stay():
    program = "x = torch.randn(4, 1)\ny = torch.ones(1)\nz = torch.tensor([1, 2])\nf(1, 2)"
    assert batch_of_two(numbered(program), 0) == []
