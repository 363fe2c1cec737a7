"""What is known of one form of an operation is tried on its others."""

from analyzers.relations.known_relations import (
    borrowed_divergences,
    is_form,
    relevant_equivalences,
    renamed,
)
from analyzers.vocabulary import Divergence, Equivalence

PARAMETERS = {"torch.Tensor.lcm": ("self", "other"), "torch.Tensor.sub": ("self", "other", "alpha")}


def equal(source, template, kind="value"):
    return Equivalence(source, template.partition("(")[0], template, kind)


FORM = equal("torch.Tensor.lcm", "torch.lcm(self, other)")


def known(call, relation="status"):
    return Divergence("torch.lcm", "crash", relation, "it goes on", call, "SIGFPE", "it goes on")


def test_divergence_of_a_function_becomes_one_of_the_method():
    rows = [
        known("torch.lcm(torch.tensor([1]), torch.tensor([5]))"),
        known("torch.lcm(torch.tensor([1]), other=2)"),
        known("torch.lcm(input=torch.tensor([1]), other=2)"),
        known("torch.lcm(1, 2)", "value"),
    ]
    found = list(
        borrowed_divergences([FORM], lambda apis: rows if apis == ["torch.lcm"] else [], PARAMETERS)
    )
    assert [each.call for each in found] == [
        "torch.Tensor.lcm(torch.tensor([1]), torch.tensor([5]))",
        "torch.Tensor.lcm(torch.tensor([1]), other=2)",
    ]
    assert {each.api for each in found} == {"torch.Tensor.lcm"}


def test_forms_take_the_same_arguments_in_the_same_order():
    def form(template, source="torch.Tensor.sub"):
        return is_form(equal(source, template), PARAMETERS)

    assert form("torch.sub(self, other, alpha=alpha)")
    assert form("torch.sub(self, other)")
    assert not form("torch.rsub(other, self)")
    assert not form("torch.Tensor.sub_(self, other, alpha=alpha)")
    assert not form("torch.add(self, torch.neg(other))")
    assert not form("torch.sub(self, other, alpha=2)")
    assert not form("torch.nn.Softshrink(other)(self)")
    assert not form("torch.sub(self")


def test_call_of_another_function_is_not_renamed():
    assert renamed("torch.gcd(1, 2)", FORM, ("self", "other")) is None
    assert renamed("torch.lcm(1, 2, 3)", FORM, ("self", "other")) is None


def test_equivalences_that_tell_nothing_are_left_out():
    told = equal("torch.Tensor.div", "torch.true_divide(self, other)")
    rows = [
        equal("torch.Tensor.div", "torch.div(self, other)"),
        equal("torch.Tensor.div", "torch.Tensor.divide_(self, other)"),
        equal("torch.Tensor.div", "torch.fmin(self, other)", "status"),
        told,
        equal("torch.Tensor.div_", "torch.Tensor.divide_(self, other)"),
        *(equal("torch.Tensor.div", f"torch.other{n}(self, other)") for n in range(9)),
    ]
    found = list(relevant_equivalences(rows))
    assert found[:2] == [told, rows[4]]
    assert len([each for each in found if each.source == "torch.Tensor.div"]) == 3
