"""Names of APIs as documentation writes them: ``torch.abs``, ``F.relu``, ``~Tensor.abs``."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Optional

from ..nouns import Api

_ABBREVIATIONS = {
    "np": "numpy",
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "Tensor": "torch.Tensor",
    "ops": "keras.ops",
    "random": "keras.random",
}
_ROLE = re.compile(
    r":(?:\w+:)?(?:func|meth|class|attr|code|ref|obj|mod):`~?([^`<]*?)(?:\s*<[^`]*>)?`"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


class Names:
    """The APIs of a library by all that they may be called.

    What is ambiguous is resolved near the API that names it: ``Tensor.abs``
    before ``torch.abs`` in the documentation of a method.
    """

    def __init__(self, apis: Iterable[Api]) -> None:
        self._canonical: Dict[str, str] = {}
        for api in apis:
            self._canonical[api.name] = api.name
            for other in api.others:
                self._canonical.setdefault(other, api.name)
        self._roots = sorted({name.split(".")[0] for name in self._canonical})

    def resolved(self, text: str, near: str = "") -> Optional[str]:
        """The canonical name of the API that a text names, in the documentation of ``near``."""
        name = text.strip().lstrip("~.!").rstrip("()").strip()
        if not name:
            return None
        return next(
            (
                self._canonical[item]
                for item in self._spellings(name, near)
                if item in self._canonical
            ),
            None,
        )

    def _spellings(self, name: str, near: str) -> List[str]:
        first, dot, rest = name.partition(".")
        found = [name]
        if first in _ABBREVIATIONS:
            found.append(f"{_ABBREVIATIONS[first]}{dot}{rest}")
        parts = near.split(".")
        found += [".".join([*parts[:count], name]) for count in range(len(parts) - 1, 0, -1)]
        return found + [f"{root}.{name}" for root in self._roots]


def unmarked(text: str) -> str:
    """Documentation without its roles and back ticks."""
    return _ROLE.sub(r"\1", text).replace("``", "").replace("`", "")


def mentioned(text: str) -> List[str]:
    """The dotted names in a text and what its roles refer to, in order, each once."""
    found = [match.group(1) for match in _ROLE.finditer(text)]
    found += _DOTTED.findall(_ROLE.sub(" ", text))
    return list(dict.fromkeys(item.strip() for item in found if item.strip()))
