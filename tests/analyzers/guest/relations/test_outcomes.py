"""What a call comes to: a value, an exception, or an internal assertion that fails."""

from typing import Any

import torch

from analyzers.guest.relations.library_calls import MOST_TEXT, outcome_of
from analyzers.guest.relations.relation_types import CRASHED, EXCEPTION, SUCCESS


def of(function: Any) -> Any:
    return outcome_of(function)


def test_a_value_is_printed_on_one_line() -> None:
    outcome, value = of(lambda: torch.eye(2))
    assert (outcome.status, outcome.text) == (SUCCESS, "tensor([[1., 0.], [0., 1.]])")
    assert value.shape == (2, 2)


def test_long_values_are_shortened() -> None:
    outcome, _ = of(lambda: torch.zeros(999))
    assert len(outcome.text) <= MOST_TEXT


def test_an_exception_is_named() -> None:
    outcome, value = of(lambda: torch.zeros(2) + torch.zeros(3))
    assert (outcome.status, outcome.exception, value) == (EXCEPTION, "RuntimeError", None)
    assert outcome.text.startswith("RuntimeError: The size of tensor a (2)")


def test_an_internal_assertion_is_a_crash() -> None:
    def asserting() -> None:
        raise RuntimeError("x INTERNAL ASSERT FAILED at y, please report a bug to PyTorch.")

    def hostile() -> None:
        class MuteError(Exception):
            def __str__(self) -> str:
                raise ValueError

        raise MuteError

    assert of(asserting)[0].status == CRASHED
    assert of(hostile)[0].text == "MuteError"
