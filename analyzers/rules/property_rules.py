"""Rules of the analyzer ``properties``."""

from __future__ import annotations

from analyzers.rules.rule import read_rules

_RULES = read_rules(__file__)
CRASH = _RULES["property/crash"]
POSTCONDITION = _RULES["property/postcondition"]
CHANGED = _RULES["property/changed"]
INVALID_ANNOTATION = _RULES["property/invalid-annotation"]
REMOVED_API = _RULES["property/removed-api"]
RULES = tuple(_RULES.values())


def removed_api(name: str, library: str, instead: str) -> tuple[str, str]:
    """Describe a name that a library lacks, or an argument: ``keras.layers.Dense(init)``."""
    owner, _, argument = name.removesuffix(")").partition("(")
    lack = f"`{owner}` takes no `{argument}`" if argument else f"there is no `{name}`"
    other = f"`{instead}`" if instead else "what this version offers instead"
    return (
        f"In the installed version of {library} {lack}",
        f"In the installed version of {library} {lack}. Use {other}, or bound the version in the"
        " project's dependencies.",
    )
