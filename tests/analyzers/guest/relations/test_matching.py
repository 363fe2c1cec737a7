"""Which APIs are candidates for doing the same."""

from analyzers.guest.relations.api_candidates import (
    ApiNames,
    candidates,
    cosines,
    first_sentence,
    mentioned,
    mentions,
    own_name,
    references,
)
from analyzers.guest.relations.relation_types import FUNCTION, ApiParameter, LibraryApi


def api(name, doc="", *parameters, others=()):
    made = tuple(ApiParameter(item, required=True) for item in parameters)
    return LibraryApi(name, FUNCTION, made, doc, others)


SOME = [
    api(
        "torch.abs", "abs(input) -> Tensor\n\nComputes the absolute value of each element.", "input"
    ),
    api("torch.absolute", "absolute(input)\n\nAlias for :func:`torch.abs`", "input"),
    api("torch.Tensor.abs_", "abs_() -> Tensor\n\nIn-place version of :meth:`~Tensor.abs`", "self"),
    api("torch.Tensor.abs", "abs() -> Tensor\n\nSee :func:`torch.abs`", "self"),
    api("torch.swapaxes", "Alias for :func:`torch.transpose`.", "input", "axis0", "axis1"),
    api(
        "torch.transpose",
        "Returns a transposed tensor.\n\n>>> torch.abs(x)",
        "input",
        "dim0",
        "dim1",
    ),
    api("torch.nn.functional.leaky_relu", "Applies the leaky unit.", "input", "negative_slope"),
    api("torch.nn.LeakyReLU", "Applies the leaky unit element-wise.", "negative_slope", "input"),
    api("torch.cat", "Concatenates tensors. See also :func:`absolute`.", "tensors", "dim"),
]


def targets(name, k):
    return [target for source, target, _ in candidates(SOME, k) if source == name]


def test_the_nearest_come_first():
    assert set(targets("torch.Tensor.abs", 2)[:2]) <= {
        "torch.abs",
        "torch.Tensor.abs_",
        "torch.absolute",
    }
    assert targets("torch.nn.LeakyReLU", 1) == ["torch.nn.functional.leaky_relu"]


def test_an_alias_is_near_though_its_name_is_not():
    assert targets("torch.swapaxes", 1)[0] == "torch.transpose"
    assert "torch.swapaxes" in targets("torch.transpose", 1)


def test_what_documents_name_comes_beyond_k():
    found = targets("torch.cat", 0)
    assert found == ["torch.absolute"]
    assert "torch.cat" in targets("torch.absolute", 0)


def test_aliases_of_one_api_are_candidates_of_each_other():
    assert {"torch.Tensor.abs", "torch.Tensor.abs_"} <= set(targets("torch.absolute", 0))


def test_an_api_is_never_its_own_candidate_and_none_comes_twice():
    found = candidates(SOME, 3)
    assert all(source != target for source, target, _ in found)
    assert len({(source, target) for source, target, _ in found}) == len(found)
    assert all(0 <= score <= 1 for _, _, score in found)


def test_the_order_of_the_apis_changes_no_pair():
    assert sorted(candidates(SOME)) == sorted(candidates(list(reversed(SOME))))


def test_examples_name_no_candidates():
    names = ApiNames(SOME)
    assert mentions(SOME, names)["torch.transpose"] == []
    found = references(SOME, mentions(SOME, names))
    assert found["torch.Tensor.abs_"] == "torch.Tensor.abs"
    assert "torch.cat" not in found


def test_names_are_resolved_as_documentation_writes_them():
    names = ApiNames([*SOME, api("torch.linalg.inv", others=("torch.inverse",))])
    assert names.resolved("~Tensor.abs") == "torch.Tensor.abs"
    assert names.resolved("F.leaky_relu") == "torch.nn.functional.leaky_relu"
    assert names.resolved("abs", near="torch.Tensor.cat") == "torch.Tensor.abs"
    assert names.resolved("inv()", near="torch.linalg.solve") == "torch.linalg.inv"
    assert names.resolved("torch.inverse") == "torch.linalg.inv"
    assert names.resolved("numpy.vsplit") is None


def test_mentions_are_read_from_roles_and_dotted_names():
    text = "See :func:`~torch.abs` and :class:`text <torch.nn.ReLU>`, or ``torch.cat``."
    assert mentioned(text)[:1] == ["torch.abs"]
    assert "torch.cat" in mentioned(text)


def test_the_signature_is_no_sentence():
    doc = "\nabs(input, *, out=None) -> Tensor\n\nComputes :attr:`input`'s size. And more."
    assert first_sentence(doc) == "Computes input's size."
    assert own_name("torch.nn.LeakyReLU") == own_name("torch.nn.functional.leaky_relu_")


def test_cosines_are_those_of_weighted_terms():
    found = cosines([["a", "b"], ["a", "b"], ["c"], ["c", "d"]])
    assert abs(found[0, 1] - 1) < 1e-6
    assert found[0, 2] == 0
    assert 0 < found[2, 3] < 1
