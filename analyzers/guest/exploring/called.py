"""One call of a target that has returned, as the words about models see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List, Mapping


@dataclass(frozen=True)
class Called:
    """A call and what it gave.

    ``instance`` is ``self`` (of a constructor what it made; ``None`` of a function),
    ``arguments`` are all that was given, by name, defaults included.  ``args`` and
    ``kwargs`` are made anew, untouched by the call; ``again`` makes the whole call once
    more, instance and arguments included.  ``recipe`` made the instance, if one did.
    """

    root: str
    namespace: Mapping[str, Any]
    instance: Any
    result: Any
    arguments: Mapping[str, Any]
    args: List[Any]
    kwargs: Mapping[str, Any]
    again: Callable[[], Any]
    recipe: str = ""
