"""Ways to run a model that should all give the same, one execution a module."""

from .leaves import array, leaves, mapped
from .registry import DEFAULT, EAGER, EXECUTIONS, FLOAT64, execution_of, register

__all__ = [
    "DEFAULT",
    "EAGER",
    "EXECUTIONS",
    "FLOAT64",
    "array",
    "execution_of",
    "leaves",
    "mapped",
    "register",
]
