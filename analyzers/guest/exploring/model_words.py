"""The words of postconditions about models and layers.

``executes(RULE, EXECUTION, inputs="", mutations="", other="")``: the model that the call is
of (``self`` of a ``forward``, else ``result``), put into evaluation mode, passes an oracle on
another execution; ``other``: on a change of the inputs that this was made for.
``trains(STEPS, inputs="")``: training it so many steps on its input stays finite.
``settles(TIMES)``: making the call so often lets neither memory nor time grow.
``made(NAME)``: what an argument of the constructor of ``self`` was.  ``refuses(CALL)``: a
call of a library raises.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List

from .called import Called

MODEL_WORDS = frozenset(("executes", "trains", "settles", "made", "refuses"))
HEAVY_WORDS = frozenset(("executes", "trains", "settles"))
"""Those that take longer than a call."""


def model_words(called: Callable[[], Called], said: List[str]) -> Dict[str, Any]:
    """The words by name; ``said`` takes what does not hold, in words."""

    def told(problem: Any) -> bool:
        if problem:
            said.append(str(problem))
        return not problem

    def executes(
        rule: str, execution: str, inputs: str = "", mutations: str = "", other: str = ""
    ) -> bool:
        from ..models.promising import problem

        return told(problem(called(), rule, execution, inputs, mutations, other))

    def trains(steps: int, inputs: str = "") -> bool:
        from ..models.promising import untrained

        return told(untrained(called(), steps, inputs))

    def settles(times: int) -> bool:
        from ..models.promising import unsettled

        return told(unsettled(called(), times))

    def made(name: str) -> Any:
        from ..assembling.promising import made as given

        return given(called(), name)

    def refuses(call: str) -> bool:
        from ..assembling.promising import taken

        return told(taken(called(), call))

    return {
        "executes": executes,
        "trains": trains,
        "settles": settles,
        "made": made,
        "refuses": refuses,
    }
