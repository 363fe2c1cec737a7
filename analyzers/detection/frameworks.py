"""Which files use a deep-learning framework, told from their imports."""

from __future__ import annotations

from analyzers.detection.imports import imports
from analyzers.vocabulary import ChangeSet, Target

FRAMEWORKS = frozenset({"torch", "tensorflow", "jax", "keras", "transformers"})


def deep_learning_files(changes: ChangeSet) -> tuple[str, ...]:
    """The changed files of head that import a framework, sorted."""
    changed = {change.path for change in changes.changes} & changes.sources.keys()
    return tuple(sorted(path for path in changed if _imports_one(changes.sources[path])))


def is_deep_learning(target: Target) -> bool:
    """Whether a target calls a framework."""
    return any(api.partition(".")[0] in FRAMEWORKS for api in target.apis)


def _imports_one(source: str) -> bool:
    return any(
        entry.level == 0 and entry.module.partition(".")[0] in FRAMEWORKS
        for entry in imports(source)
    )
