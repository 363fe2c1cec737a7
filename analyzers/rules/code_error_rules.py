"""The rule ``code/error`` and the messages of its findings."""

from __future__ import annotations

from analyzers.rules.rule import read_rules

_RULES = read_rules(__file__)
CODE_ERROR = _RULES["code/error"]
RULES = tuple(_RULES.values())


LONGEST_CODE = 120


def error(exception: str, text: str, code: str, at: str, times: int, runs: int, meant: str) -> str:
    """Describe an error of the code at a line, seen in some runs of a function."""
    said = " ".join(text.split())
    shown = f"`{code}` ({at})" if code and "`" not in code and len(code) < LONGEST_CODE else ""
    if runs == 1:
        share = "The run of the function fails this way."
    elif times == runs:
        share = f"All {runs} runs of the function fail this way: it never returns a result."
    else:
        share = f"{times} of {runs} runs of the function fail this way."
    lines = (
        f"{shown or f'The code at {at}'} raises `{exception}`{f': {said}' if said else ''}.",
        share,
        "The cause is in the code: no argument, environment variable, file, network answer or"
        " stand-in that Assayer made up takes part in it.",
        f"A similar name exists: `{meant}`." if meant else "",
    )
    return "\n".join(filter(None, lines))


def misspelt_variable(name: str, meant: str, code: str, at: str) -> tuple[str, str]:
    """Describe an environment variable that other files of the project spell otherwise."""
    return (
        f"`{name}` is `{meant}` everywhere else",
        f"`{code}` ({at}) raises `KeyError` on every machine that is set up as the project says:"
        f" its other files name the variable `{meant}`, and none names `{name}`.",
    )


def undefined_name(name: str, code: str, at: str) -> tuple[str, str]:
    """Describe a name that nothing in its file binds."""
    return (
        f"`{name}` is not defined",
        f"`{code}` ({at}) raises `NameError` whenever it runs: the file neither imports nor"
        f" assigns `{name}`. Import it, or correct the name.",
    )


def uncalled_function(name: str, code: str, at: str, defined: str) -> tuple[str, str]:
    """Describe the name of a function that asks an ML API, used where nothing binds it."""
    return (
        f"`{name}` is not imported",
        f"`{code}` ({at}) calls `{name}`, which the file neither imports nor assigns: it raises"
        f" `NameError`, and the ML API is never asked from here. `{name}` is defined in {defined}."
        " Import it.",
    )


def broken_file(path: str, code: str, said: str, at: str) -> tuple[str, str]:
    """Describe a file that no Python takes."""
    return (
        f"`{path}` cannot be imported",
        f"`{code}` ({at}) is a `SyntaxError` in every version of Python ({said}), so nothing in"
        " the file can be used. Correct the line.",
    )


def missing_return(function: str, used: str, at: str, used_at: str) -> tuple[str, str]:
    """Describe a function that ends without a value where its caller, or Flask, needs one."""
    name = function.replace(".<locals>", "")
    if not used:
        return (
            f"The view `{name}` may return nothing",
            f"`{name}` ends at {at} without a `return`: Flask raises `TypeError` for a view that"
            " returns nothing, so users of this path see an error 500. Return a response there.",
        )
    return (
        f"`{used}` fails where `{name}` returns nothing",
        f"`{name}` ends at {at} without a `return`, so it gives `None`, and `{used}` ({used_at})"
        " raises. Return a value on this path too, or test the result before it is used.",
    )


def raising_call(code: str, exception: str, why: str, at: str) -> tuple[str, str]:
    """Describe a call that raises whatever the function receives."""
    return (
        f"`{code}` always raises {exception}",
        f"`{code}` ({at}) raises `{exception}` whenever it runs: {why}.",
    )


def unassigned_name(
    name: str, way: str, place: tuple[str, int], code: str, at: str, exception: str
) -> tuple[str, str]:
    """Describe a name that some way to its line leaves unbound.

    ``place``: what is gone through or tested, and the line of the first assignment.
    """
    why, fix = _WAYS[way]
    return (
        f"`{name}` may be read before it is assigned",
        f"`{code}` ({at}) raises `{exception}` {why.format(*place)}. {fix.format(name)}",
    )


_WAYS = {
    "failed": (
        "whenever a call before the assignment in line {1} fails, such as a request to the API:"
        " the exception is caught, and the code goes on",
        "Return in the handler, or give `{0}` a value before.",
    ),
    "flag": (
        "whenever `{0}` is false: nothing else assigns it (line {1})",
        "Give `{0}` a value before the condition.",
    ),
    "handler": (
        "whenever the call in line {1} that gives it, or one before, fails, such as a request to"
        " the API: the handler of the exception reads it all the same",
        "Give `{0}` a value before the `try`, or read it where the request has succeeded.",
    ),
    "empty": (
        "whenever the answer is empty: only the loop over `{0}` assigns it",
        "Give `{0}` a value before the loop.",
    ),
    "other": (
        "for every answer that none of the conditions from line {0} on names",
        "Add an `else`, or give `{0}` a value before.",
    ),
}
