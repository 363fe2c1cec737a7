"""Which failures of inferred inputs are told."""

from dataclasses import replace

import pytest

from analyzers.guest.annotations.syntax import parse
from analyzers.inference.constraint_sources import shape_facts
from analyzers.inference.facts import Confidence, ConstraintSource
from analyzers.inference.function_contracts import (
    CONSTRUCTOR,
    FunctionContract,
    ParameterContract,
    function_contract,
)
from analyzers.inference.function_lookup import find_function
from analyzers.inference.inference_messages import doubt_sentence
from analyzers.inference.input_validity import (
    fails_always,
    is_certain,
    is_stated,
    missing_state,
    mixed_arguments,
    number_between,
)
from analyzers.vocabulary import (
    Contract,
    ExplorationResult,
    Failure,
    LiteralArgument,
    Probe,
    Raised,
    Reason,
    RecipeArgument,
    Run,
    Target,
)
from tests.analyzers.benches import IdleBench

WRONG = ("RuntimeError", "size of tensor a must match")
ENOUGH = ExplorationResult(executions=10, passed=5)


def ended(exception, message):
    return Raised(exception, message, "net.py", 3, "f", refusal=False, standin=False)


def failure(matters=(), *, ending=WRONG, **arguments):
    given = {
        name: RecipeArgument(source) if "(" in source else LiteralArgument(source)
        for name, source in arguments.items()
    }
    return Failure(Probe("net.py::f", given), Run(ended(*ending)), tuple(matters))


def term(constraint, source=ConstraintSource.SHAPE, sure=Confidence.LIKELY):
    parse(constraint)
    return ParameterContract(constraint, source, sure)


def terms(unset=(), **given):
    return FunctionContract(
        Contract(), {name.replace("__", "."): each for name, each in given.items()},
        unset=frozenset(unset),
    )  # fmt: skip


X = term("tensors(shape=(4, 6))")
DIM = term("anys(ints(min=0, max=2), 0, 2)", ConstraintSource.TEST)


def test_likely_inputs_tell_where_the_function_mostly_returns():
    known = terms(x=X, n=term("ints(min=1, max=4)"))
    assert is_certain(failure(["n"], x="tensor((4, 6))", n="1"), known, ENOUGH, None)
    seldom = ExplorationResult(executions=10, passed=1)
    assert not is_certain(failure(["n"], x="tensor((4, 6))", n="1"), known, seldom, None)


def test_a_value_that_the_project_gives_fails_for_the_sake_of_the_others():
    """``dim=2`` of the tests is valid: it is the guessed shape that does not go with it."""
    found = failure(["dim"], x="tensor((4, 6))", dim="2")
    assert not is_certain(found, terms(x=X, dim=DIM), ENOUGH, None)
    sure = term("tensors(shape=(4, 6))", ConstraintSource.TEST, Confidence.STRONG)
    exact = term("froms([2, 3])", ConstraintSource.TEST, Confidence.STRONG)
    assert is_certain(found, terms(x=sure, dim=exact), ENOUGH, None)


@pytest.mark.parametrize(
    ("shape", "dims", "certain"),
    [
        ('(1, ints(min=64, max=384), "n", "n")', "froms([64, 384])", False),
        ('(1, ints(min=64, max=384), "n", "n")', "froms([64])", True),
        ("(ints(min=1, max=16), 64)", "froms([64, 384])", True),
    ],
)
def test_sizes_between_those_of_several_instances_are_unsure(shape, dims, certain):
    x = term(f"tensors(shape={shape})", ConstraintSource.TEST, Confidence.STRONG)
    made = term(dims if "," not in dims else "anys(64, 384)", ConstraintSource.TEST)
    found = failure(["x"], self="Net(dim=64)", x="tensor((1, 65, 1, 1))")
    known = FunctionContract(Contract(), {"x": x, f"{CONSTRUCTOR}dim": made})
    assert is_certain(found, known, ENOUGH, None) is certain


JOINT = """class Joint:
    def __init__(self, *parts):
        self.parts = [*parts]

    def first(self, n: int):
        return self.parts[n]
"""


def test_instance_may_have_to_be_given_star_arguments():
    joint = Target("net.py", "Joint.first", 5, 6, Reason.CHANGED, (), files=("net.py",))
    assert function_contract(joint, IdleBench({"net.py": JOINT})).variadic == "*parts"


def test_dropped_star_arguments_tell_nothing():
    sure = {"x": term("tensors(shape=(4, 6))", ConstraintSource.CALL, Confidence.STRONG)}
    assert is_certain(
        failure(["x"], x="tensor((4, 6))"), FunctionContract(Contract(), sure), ENOUGH, None
    )
    dropped = FunctionContract(Contract(), sure, variadic="*args")
    assert not is_certain(failure(["x"], x="tensor((4, 6))"), dropped, ENOUGH, None)
    unbound = failure(["x"], ending=("NameError", "name 'y' is not defined"), x="tensor((4, 6))")
    assert is_certain(unbound, dropped, ENOUGH, None)


def test_tiny_numbers_tell_nothing():
    known = terms(p=term("floats(min=0, max=1)"))
    assert is_certain(failure(["p"], p="0.0"), known, ENOUGH, None)
    assert not is_certain(failure(["p"], p="2.2250738585072014e-308"), known, ENOUGH, None)
    made = Failure(Probe("net.py::f", {"p": RecipeArgument("1e-300")}), Run(ended(*WRONG)), ())
    assert not is_certain(made, known, ENOUGH, None)
    given = terms(p=term("floats(min=0, max=1)", ConstraintSource.GIVEN, Confidence.CERTAIN))
    assert is_certain(failure(["p"], p="2.2250738585072014e-308"), given, ENOUGH, None)


def test_library_may_refuse_what_is_handed_on():
    known = terms(alpha=term("floats(min=0, max=1)"))
    refused = failure(["alpha"], ending=("ValueError", "a <= 0"), alpha="0.0")
    handed = "import numpy\ndef f(alpha):\n    return numpy.random.beta(alpha, 1)\n"
    changed = "import numpy\ndef f(alpha):\n    return numpy.random.beta(alpha - 1, 1)\n"
    assert not is_certain(refused, known, ENOUGH, None, handed)
    assert is_certain(refused, known, ENOUGH, None, changed)


def test_constructors_values_that_the_project_gives_count_too():
    known = terms(x=X, self__dim=DIM)
    assert not is_certain(failure(["self"], self="Soft(dim=2)"), known, ENOUGH, None)
    assert is_certain(failure(["self"], self="Soft(dim=1)"), known, ENOUGH, None)


def test_integer_between_those_of_calls_is_doubtful():
    """A head of 17 features may not be rotated in pairs, though calls give 16 and 32."""
    seen = {"rank": ConstraintSource.CALL, "self__dim": ConstraintSource.DOCUMENT}
    sizes = {name: term("anys(ints(min=16, max=32), 32, 16)", each) for name, each in seen.items()}
    known = terms(x=X, **sizes)
    for odd in (failure(["rank"], rank="17"), failure(["self"], self="Rotary(dim=17)")):
        assert number_between(odd, known) is not None
        assert "17" in doubt_sentence(odd, known)
    assert number_between(failure(["rank"], rank="16"), known) is None
    listed = terms(x=X, rank=term("froms([16, 17])", ConstraintSource.CALL, Confidence.STRONG))
    assert number_between(failure(["rank"], rank="17"), listed) is None


def test_what_another_method_sets_may_have_to_come_before():
    lacks = failure(ending=("AttributeError", "'Graph' object has no attribute 'nodes'"))
    assert is_certain(lacks, terms(), ENOUGH, None)
    assert is_certain(lacks, terms(unset=["edges"]), ENOUGH, None)
    assert not is_certain(lacks, terms(unset=["nodes"]), ENOUGH, None)
    assert missing_state(lacks.run.ending, terms(unset=["nodes"])) == "nodes"
    none = failure(ending=("TypeError", "'NoneType' object is not subscriptable"))
    assert not is_certain(none, terms(unset=["nodes"]), ENOUGH, None)
    assert is_certain(none, terms(), ENOUGH, None)


MISSING = ("TypeError", "Net.forward() missing 1 required positional argument: 'mask'")
GUESSED = term("lists()", sure=Confidence.GUESS)


def test_a_call_that_misses_an_argument_is_the_codes_fault():
    found = failure(["x"], ending=MISSING, x="[]")
    assert is_certain(
        found, terms(x=GUESSED), ENOUGH, None, "def f(x):\n    net = Net()\n    net(x)\n"
    )


def test_a_call_with_what_the_caller_gave_is_not():
    found = failure(["x"], ending=MISSING, x="{}")
    text = "def f(x):\n    net = Net()\n    net(\n        **x)\n"
    assert not is_certain(found, terms(x=GUESSED), ENOUGH, None, text)
    networks = failure(["x"], ending=MISSING, x="module((4,), (1,))")
    assert not is_certain(networks, terms(x=GUESSED), ENOUGH, None, "")


def test_guessed_ranks_that_contradict_are_guesses():
    """Taken as matrices, ``scores.argmax(-1)`` has one dimension and ``tags`` two."""
    code = (
        "import torch\ndef right(scores: torch.Tensor, tags: torch.Tensor):\n"
        "    real = torch.arange(tags.size(1))[None, :]\n"
        "    return (scores.argmax(-1) == tags) & real\n"
    )
    subject = find_function("net.py", "right", {"net.py": code})
    assert {fact.confidence for fact in shape_facts.facts(subject)} == {Confidence.GUESS}


def test_failure_of_all_that_the_assertions_let_through_is_told():
    found = replace(failure(x="tensor((4, 6))"), seen=30)
    known = terms(x=term("tensors(shape=('b', 3))", sure=Confidence.GUESS))
    every = ExplorationResult(executions=40, refused=10)
    asserted = frozenset("x")
    assert fails_always(found, known, every, asserted)
    assert not fails_always(found, known, every, frozenset())
    assert not fails_always(found, known, replace(every, passed=1, executions=41), asserted)
    assert not fails_always(replace(found, seen=9), known, replace(every, executions=19), asserted)
    other_kind = failure(ending=("IndexError", "tensors used as indices must be long"), x="1")
    assert not fails_always(replace(other_kind, seen=30), known, every, asserted)
    method = replace(known, terms={**known.terms, "self.config": known.terms["x"]})
    assert not fails_always(found, method, every, asserted | {"self.config"})


def test_values_of_different_calls_are_doubtful_together():
    size = term("ints(min=16, max=64)", ConstraintSource.HINT, Confidence.STRONG)
    known = terms(size=size, width=size)
    calls = ({"size": "froms([16])", "width": "froms([16])"}, {"size": "froms([64])"})
    known = replace(known, contract=Contract(calls=calls, defaults={"width": "20"}))
    mixed = failure(["size", "width"], size="16", width="20")
    assert mixed_arguments(mixed, known) == "size = 16 and width = 20"
    assert "together" in doubt_sentence(mixed, known)
    for size, width in (("16", "16"), ("64", "20")):
        found = failure(["size", "width"], size=size, width=width)
        assert mixed_arguments(found, known) is None
    assert mixed_arguments(failure(["size"], size="32"), known) is None


STATED = """
from typing import Literal

def crop(x, n: int, mode: Literal["a", "b"], most: int):
    \"\"\"Crop rows.

    Args:
        x (np.ndarray): rows of shape (h, 3), float32.
        n (int): the step, in the range [0, 20].
        most (int): the most rows.
    \"\"\"
    return x[::n]
"""


def stated_terms(source, function="crop"):
    target = Target("net.py", function, 4, 9, Reason.CHANGED, (), (), ("net.py",))
    return function_contract(target, IdleBench({"net.py": source}))


@pytest.mark.parametrize(
    ("matters", "stated"),
    [
        (("n",), True),
        (("x", "n"), True),
        (("mode",), True),
        (("most",), False),
        (("n", "most"), False),
        ((), False),
    ],
)
def test_documented_range_and_listed_values_are_stated_and_a_plain_type_is_not(matters, stated):
    given = {"x": "array((2, 3))", "n": "0", "mode": "'a'", "most": "0"}
    assert is_stated(failure(matters, **given), stated_terms(STATED)) is stated


def test_annotation_states_what_the_docstring_does_not():
    annotated = STATED.replace("def crop", "#@arg(most): ints(min=0)\ndef crop")
    assert is_stated(failure(("most",), most="0"), stated_terms(annotated))


def test_docstring_that_the_code_contradicts_states_nothing():
    source = STATED.replace("    return", "    x.transpose(0, 1, 2)\n    return")
    terms = stated_terms(source)
    assert not is_stated(failure(("x",), x="array((2, 3))"), terms)


def test_call_without_arguments_is_stated():
    assert is_stated(failure(), terms())
    assert not is_stated(failure(x="0"), terms())


@pytest.mark.parametrize(
    ("said", "drawn"),
    [
        ("in the range [0, 4]", "ints(min=0, max=4)"),
        ("at least 0", "ints(min=1, max=4)"),
        ("of the loop", "ints(min=1, max=4)"),
    ],
)
def test_documented_bounds_go_before_what_a_name_suggests(said, drawn):
    entry = f"Args:\n        steps (int): how often, {said}."
    source = f'def run(steps):\n    """Run.\n\n    {entry}\n    """\n    return 1 // steps\n'
    terms = stated_terms(source, "run").terms
    assert terms["steps"].constraint == drawn
