"""Functions and configuration objects."""

from __future__ import annotations

from typing import Any, Callable


def function(returns: Any = None) -> Callable[..., Any]:
    """A function of any arguments that returns ``returns``."""

    def made(*_args: Any, **_options: Any) -> Any:
        return returns

    return made


def config(of: Any = None, **fields: Any) -> Any:
    """A configuration with these fields.

    ``of`` is the class that is called with them; ``"argparse"`` stands for
    ``argparse.Namespace``.  Without it, a namespace that is read by attribute
    and by key, as those of OmegaConf are.
    """
    import argparse
    import types

    if of is not None:
        return (argparse.Namespace if of == "argparse" else of)(**fields)

    class Namespace(types.SimpleNamespace):
        def __getitem__(self, name: str) -> Any:
            return vars(self)[name]

        def __setitem__(self, name: str, value: Any) -> None:
            vars(self)[name] = value

        def __contains__(self, name: object) -> bool:
            return name in vars(self)

        def __iter__(self) -> Any:
            return iter(vars(self))

        def __len__(self) -> int:
            return len(vars(self))

        def __getattr__(self, name: str) -> Any:
            if name in ("keys", "items", "values", "get"):
                return getattr(vars(self), name)
            raise AttributeError(name)

    return Namespace(**fields)
