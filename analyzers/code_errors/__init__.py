"""Errors of the code's own (rule ``code/error``): raised in runs, or read in its text."""

from analyzers.code_errors.broken_files import broken_files
from analyzers.code_errors.misspelt_variables import misspelt_variables
from analyzers.code_errors.own_errors import (
    ObservedError,
    code_error,
    is_own_error,
    respelled,
)
from analyzers.code_errors.uncalled_functions import uncalled_functions

__all__ = [
    "ObservedError",
    "broken_files",
    "code_error",
    "is_own_error",
    "misspelt_variables",
    "respelled",
    "uncalled_functions",
]
