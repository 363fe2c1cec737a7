"""Which code uses a deep-learning framework, told from imports and names."""

from __future__ import annotations

from analyzers.detection.imports import imports
from analyzers.vocabulary import ChangeSet, Target

FRAMEWORKS = frozenset(
    {"accelerate", "diffusers", "fastai", "flax", "haiku", "ignite", "jax", "keras", "kornia"}
    | {"lightning", "mxnet", "optax", "paddle", "pytorch_lightning", "tensorflow"}
    | {"tensorflow_addons", "tensorflow_probability", "tf_keras", "theano", "timm", "tinygrad"}
    | {"torch", "torch_geometric", "torchaudio", "torchmetrics", "torchtext", "torchvision"}
    | {"transformers"}
)
"""Top-level packages."""

NUMERIC = frozenset({"numpy", "scipy", "sklearn"})
"""Packages whose use counts only next to a framework or an annotation."""


def deep_learning_files(changes: ChangeSet) -> tuple[str, ...]:
    """The changed files of head that import a framework, sorted."""
    changed = {change.path for change in changes.changes} & changes.sources.keys()
    return tuple(sorted(path for path in changed if imports_one(changes.sources[path])))


def is_deep_learning(target: Target) -> bool:
    """Whether a target calls a framework."""
    return any(root(api) in FRAMEWORKS for api in target.apis)


def imports_one(source: str, packages: frozenset[str] = FRAMEWORKS) -> bool:
    """Whether a text imports one of some top-level packages."""
    return any(package in source for package in packages) and any(
        entry.level == 0 and root(entry.module) in packages for entry in imports(source)
    )


def root(name: str) -> str:
    """The top-level package of a dotted name."""
    return name.partition(".")[0]
