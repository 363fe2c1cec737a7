"""How calls of one API become calls of another."""

import itertools
import random
from dataclasses import replace

import pytest
import torch

from analyzers.guest.inputs.recipes import BadRecipe, LiteralRecipe
from analyzers.guest.relations.relation_types import (
    FUNCTION,
    LAYER,
    METHOD,
    ApiParameter,
    LibraryApi,
    LiveCall,
)
from analyzers.guest.relations.synthesis.call_templates import apply_template
from analyzers.guest.relations.synthesis.documented_templates import templates_in_documentation
from analyzers.guest.relations.synthesis.parameter_matching import (
    TemplateInapplicable,
    assignment,
    assignment_template,
    bind_arguments,
)

TENSOR, INT = frozenset({"tensor"}), frozenset({"int"})


def required(name, types=frozenset(), *, is_input=False):
    return ApiParameter(name, True, types=types, is_input=is_input)


def optional(name, default):
    return ApiParameter(name, False, default=LiteralRecipe(default))


VSPLIT = LibraryApi(
    "torch.vsplit",
    FUNCTION,
    (required("input", TENSOR), required("indices_or_sections", INT)),
    torch.vsplit.__doc__,
)
SPLIT = LibraryApi(
    "torch.tensor_split",
    FUNCTION,
    (required("input", TENSOR), required("indices_or_sections", INT), optional("dim", 0)),
)
SHRINK = LibraryApi(
    "torch.nn.functional.softshrink", FUNCTION, (required("input"), optional("lambd", 0.5))
)
SHRINKING = LibraryApi(
    "torch.nn.Softshrink", LAYER, (optional("lambd", 0.5), required("input", is_input=True))
)
ABS_ = LibraryApi("torch.Tensor.abs_", METHOD, (required("self"),))
ABS = LibraryApi("torch.abs", FUNCTION, (required("input"),))
BLOCKS = LibraryApi("torch.block_diag", FUNCTION, (ApiParameter("*tensors", False),))
CAT = LibraryApi("torch.cat", FUNCTION, (required("tensors"), optional("dim", 0)))
ADD = LibraryApi(
    "torch.add", FUNCTION, (required("input"), required("other"), optional("alpha", 1))
)
ZEROS = LibraryApi("torch.zeros_like", FUNCTION, (required("input"),))
SOFTMAX = LibraryApi("torch.softmax", FUNCTION, (required("input"), optional("dim", -1)))
NEG = LibraryApi(
    "torch.sub", FUNCTION, (required("input"), required("other"), optional("alpha", 2))
)


class Library:
    name = "torch"
    version = torch.__version__

    def __init__(self):
        self.namespace = {"torch": torch}

    def apis(self):
        return (VSPLIT, SPLIT, SHRINK, SHRINKING, ABS_, ABS, BLOCKS, CAT, ADD, ZEROS, NEG, SOFTMAX)

    def function(self, api):
        if all(item.name != api for item in self.apis()):
            raise LookupError(api)
        found = torch
        for part in api.split(".")[1:]:
            found = getattr(found, part)
        return found


LIBRARY = Library()
X = torch.tensor([[1.0, -2.0], [3.0, 0.25]])


def live(api, *arguments, inputs=None, **keywords):
    return LiveCall(api.name, LIBRARY.function(api.name), list(arguments), keywords, inputs)


@pytest.mark.parametrize("shape", [(1, 1), (2, 4), (4, 2), (4, 4), (3, 5)])
def test_matching_has_the_largest_weight(shape):
    rng = random.Random(7)
    for _ in range(30):
        weights = [[rng.randint(-9, 9) for _ in range(shape[1])] for _ in range(shape[0])]
        chosen = assignment(weights)
        used = [column for column in chosen if column is not None]
        assert len(used) == len(set(used)) == min(shape)
        total = sum(weights[row][c] for row, c in enumerate(chosen) if c is not None)
        assert total == best(weights)


def best(weights):
    if len(weights) > len(weights[0]):
        weights = list(zip(*weights, strict=True))
    orders = itertools.permutations(range(len(weights[0])), len(weights))
    return max(sum(row[c] for row, c in zip(weights, order, strict=True)) for order in orders)


@pytest.mark.parametrize(
    ("source", "target", "template"),
    [
        (VSPLIT, SPLIT, "torch.tensor_split(input, indices_or_sections)"),
        (SHRINK, SHRINKING, "torch.nn.Softshrink(lambd=lambd)(input)"),
        (SHRINKING, SHRINK, "torch.nn.functional.softshrink(input, lambd=lambd)"),
        (ABS, ABS_, "torch.Tensor.abs_(input)"),
        (ABS_, ABS, "torch.abs(self)"),
        (CAT, BLOCKS, "torch.block_diag(*tensors)"),
        (VSPLIT, ABS, None),
        (ABS, VSPLIT, None),
    ],
)
def test_arguments_are_matched(source, target, template):
    assert assignment_template(source, target) == template


def test_what_was_never_a_sequence_is_not_spread():
    tensors = replace(CAT, parameters=(required("tensors", TENSOR),))
    assert assignment_template(tensors, BLOCKS) == "torch.block_diag(tensors)"
    several = replace(CAT, parameters=(required("tensors", frozenset({"tensor", "tuple"})),))
    assert assignment_template(several, BLOCKS) == "torch.block_diag(*tensors)"


VIEW = LibraryApi("torch.Tensor.view", METHOD, (required("self"), required("*size")))
RESHAPE = LibraryApi("torch.reshape", FUNCTION, (required("input"), required("shape")))


@pytest.mark.parametrize(
    ("given", "named"), [((1, 4), {}), (((1, 4),), {}), ((), {"size": (1, 4)})]
)
def test_sizes_are_given_one_by_one_or_together(given, named):
    call = LiveCall("torch.Tensor.view", torch.Tensor.view, [X, *given], named)
    assert bind_arguments(VIEW, call)["size"] == (1, 4)
    assert assignment_template(VIEW, RESHAPE) == "torch.reshape(self, size)"


def test_a_dtype_is_no_size():
    with pytest.raises(TemplateInapplicable):
        bind_arguments(VIEW, LiveCall("torch.Tensor.view", torch.Tensor.view, [X, torch.int32]))


def test_names_decide_before_positions():
    source = LibraryApi("torch.a", FUNCTION, (required("index"), required("source")))
    target = LibraryApi("torch.b", FUNCTION, (required("source"), required("index")))
    assert assignment_template(source, target) == "torch.b(source, index)"


def test_types_decide_among_unlike_names():
    source = LibraryApi("torch.a", FUNCTION, (required("p", TENSOR), required("q", INT)))
    target = LibraryApi("torch.b", FUNCTION, (required("yy", INT), required("zz", TENSOR)))
    assert assignment_template(source, target) == "torch.b(q, p)"


def test_templates_run_like_their_target():
    made = apply_template(
        "torch.tensor_split(input, indices_or_sections)", VSPLIT, live(VSPLIT, X, 2), LIBRARY
    )
    assert made.api == "torch.tensor_split"
    assert all(map(torch.equal, made.run(), torch.vsplit(X, 2)))


def test_layers_are_made_and_called():
    template = assignment_template(SHRINK, SHRINKING)
    for call in (live(SHRINK, X), live(SHRINK, X, 0.1), live(SHRINK, X, lambd=2.0)):
        assert torch.equal(apply_template(template, SHRINK, call, LIBRARY).run(), call.run())
    back = assignment_template(SHRINKING, SHRINK)
    call = live(SHRINKING, 0.7, inputs=[X])
    assert torch.equal(apply_template(back, SHRINKING, call, LIBRARY).run(), call.run())


def test_what_is_left_out_keeps_the_sources_default():
    """torch.add has alpha=1, and the target here is said to have another default."""
    made = apply_template("torch.sub(input, other, alpha=alpha)", ADD, live(ADD, X, X), LIBRARY)
    assert made.keywords == {"alpha": 1}
    same = apply_template("torch.add(input, other, alpha=alpha)", ADD, live(ADD, X, X), LIBRARY)
    assert same.keywords == {}


def test_sequences_are_spread():
    made = apply_template("torch.block_diag(*tensors)", CAT, live(CAT, [X, X]), LIBRARY)
    assert made.run().shape == (4, 4)
    back = apply_template("torch.cat(tensors)", BLOCKS, live(BLOCKS, X, X), LIBRARY)
    assert back.run().shape == (4, 2)


def test_calls_and_attributes_may_be_inside():
    template = "torch.add(torch.zeros_like(input), other, alpha=input.ndim)"
    assert torch.equal(apply_template(template, ADD, live(ADD, X, X), LIBRARY).run(), 2 * X)


@pytest.mark.parametrize("call", [live(ADD, X, X, alpha=3), live(ADD, X), live(ADD, X, X, 1, 2)])
def test_calls_that_set_more_are_not_told_of(call):
    with pytest.raises(TemplateInapplicable):
        apply_template("torch.add(other, input)", ADD, call, LIBRARY)


def test_defaults_that_are_given_change_nothing():
    made = apply_template("torch.add(other, input)", ADD, live(ADD, X, X, alpha=1), LIBRARY)
    assert torch.equal(made.run(), 2 * X)


@pytest.mark.parametrize(
    "template",
    [
        "input",
        "torch.exp(input)",
        "torch.os.system('true')",
        "torch.abs(torch.os.getcwd())",
        "torch.abs(torch.os)",
        "torch.abs(torch.manual_seed)",
        "torch.abs(input.__class__)",
        "torch.abs(input.grad_fn)",
        "torch.abs(input.numpy())",
        "torch.abs(**input)",
        "torch.abs(lambda: 0)",
        "input.abs()",
        "torch.abs(input if input else input)",
        "torch.abs(__import__('os'))",
        "(torch.abs)(input)(input)(input)",
        "torch.abs(",
        "torch.abs(tensor((2,), 'float32'))",
    ],
)
def test_what_is_no_template_is_refused(template):
    with pytest.raises(BadRecipe):
        apply_template(template, ABS, live(ABS, X), LIBRARY)


def test_documents_tell_templates():
    expected = ("torch.tensor_split", "torch.tensor_split(input, indices_or_sections, dim=0)")
    assert templates_in_documentation(VSPLIT, LIBRARY.apis()) == [expected]
    call = live(VSPLIT, X, 2)
    assert len(apply_template(expected[1], VSPLIT, call, LIBRARY).run()) == 2


def test_examples_tell_templates():
    doc = """
    Example::

        >>> a = torch.randn(3)
        >>> torch.abs(a)
        tensor([1., 2., 3.])
        >>> torch.add(a, a, alpha=1)
        >>> torch.add(b, a)
        >>> torch.add(torch.abs(a), a)
        >>> a.abs_()
    """
    source = LibraryApi(ABS.name, FUNCTION, ABS.parameters, doc)
    assert templates_in_documentation(source, (*LIBRARY.apis(), source)) == [
        ("torch.add", "torch.add(input, input, alpha=1)"),
        ("torch.Tensor.abs_", "torch.Tensor.abs_(input)"),
    ]


def test_methods_of_parameters_and_roles_are_read():
    doc = "Equivalent to :func:`torch.add`\\ ``(input, other)``, or ``input.abs_()``."
    source = LibraryApi("torch.plus", FUNCTION, ADD.parameters, doc)
    found = dict(templates_in_documentation(source, LIBRARY.apis()))
    assert found["torch.Tensor.abs_"] == "torch.Tensor.abs_(input)"
