"""The same call where a signature was another one."""

import pytest

from analyzers.vocabulary import (
    Exchange,
    Form,
    InputArgument,
    LiteralArgument,
    Probe,
    RecipeArgument,
)
from worker.executor.base_target import IncomparableSignature, SignatureMapping
from worker.executor.probe_codec import plain_input


def translated(ours, theirs, given, function="f"):
    arguments = {name: LiteralArgument(source) for name, source in given.items()}
    probe = SignatureMapping(function, ours, theirs).translated(Probe("t", arguments))
    return {name: argument.source for name, argument in probe.arguments.items()}


@pytest.mark.parametrize(
    ("ours", "theirs", "given", "expected"),
    [
        ("a, b=1", "a", {"a": "1", "b": "2"}, {"a": "1"}),
        ("a, *, b=1", "a", {"a": "1", "b": "2"}, {"a": "1"}),
        ("a, b", "a, c", {"a": "1", "b": "2"}, {"a": "1", "c": "2"}),
        ("a, b=2", "b, a", {"a": "1", "b": "2"}, {"a": "1", "b": "2"}),
        ("a, b=1", "a, **kw", {"a": "1", "b": "2"}, {"a": "1", "b": "2"}),
        ("a", "a, b=1", {"a": "1"}, {"a": "1"}),
        ("a", "a", {"a.items[0]": "1"}, {"a.items[0]": "1"}),
        ("a", "a", {}, {}),
    ],
)
def test_arguments_go_to_the_parameters_of_base(ours, theirs, given, expected):
    made = translated(f"def f({ours}): ...", f"def f({theirs}): ...", given)
    assert made == expected


@pytest.mark.parametrize(
    ("ours", "theirs", "given", "why"),
    [
        ("a, b", "a", {"a": "1", "b": "2"}, "`b` is no parameter there"),
        ("a", "a, b", {"a": "1"}, "`b` has to be given there"),
        ("a, b=1", "a, b", {"a": "1"}, "`b` has to be given there"),
    ],
)
def test_call_that_base_cannot_take_is_not_comparable(ours, theirs, given, why):
    with pytest.raises(IncomparableSignature, match=why):
        translated(f"def f({ours}): ...", f"def f({theirs}): ...", given)


CLASS = """\
class Net:
    def __init__(self, {}): ...
    def forward(self, x): ...
"""


@pytest.mark.parametrize(
    ("ours", "theirs", "recipe", "expected"),
    [
        ("n, bias=True", "n", "Net(n=3, bias=False)", "Net(n=3)"),
        ("n, bias=True", "n", "Net(3, bias=False)", "Net(3)"),
        ("width", "n", "Net(width=3)", "Net(n=3)"),
        ("n", "n", "build(3)", "build(3)"),
    ],
)
def test_instance_is_made_as_its_class_was(ours, theirs, recipe, expected):
    signatures = SignatureMapping("Net.forward", CLASS.format(ours), CLASS.format(theirs))
    probe = signatures.translated(
        Probe("t", {"self": RecipeArgument(recipe), "x": RecipeArgument("1")})
    )
    assert probe.arguments == {"x": RecipeArgument("1"), "self": RecipeArgument(expected)}


def test_instance_that_base_cannot_make_is_not_comparable():
    signatures = SignatureMapping("Net.forward", CLASS.format("a, b"), CLASS.format("a"))
    with pytest.raises(IncomparableSignature):
        signatures.translated(
            Probe("t", {"self": RecipeArgument("Net(a=1, b=2)"), "x": RecipeArgument("1")})
        )


@pytest.mark.parametrize(
    "probe",
    [
        Probe("t", {"b": InputArgument(Form.TEXT, plain_input(Form.TEXT, ""))}),
        Probe("t", {"b": LiteralArgument("1")}, (Exchange("api", "", {}),)),
    ],
)
def test_probe_with_inputs_or_answers_stays_what_it_is(probe):
    assert SignatureMapping("f", "def f(b): ...", "def f(a): ...").translated(probe) is probe


def test_text_that_cannot_be_read_changes_nothing():
    assert translated("def f(a): ...", "def (", {"a": "1"}) == {"a": "1"}


def test_inherited_methods_are_compared_by_the_definition_of_the_base_class():
    text = "class Base:\n    def forward(self, {}): ...\n\nclass Net(Base):\n    k = 1\n"
    signatures = SignatureMapping("Net.forward", text.format("x"), text.format("y"))
    assert not signatures.alike()
    probe = Probe("t", {"x": RecipeArgument("1")})
    assert signatures.translated(probe).arguments == {"y": RecipeArgument("1")}
