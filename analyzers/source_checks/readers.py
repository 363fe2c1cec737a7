"""The checks that read the text of a file, by the name under which findings carry them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from analyzers.source_checks.answer_shapes import missing_parts
from analyzers.source_checks.defects import Defect

Reader = Callable[[str], Sequence[Defect]]
READERS: Mapping[str, Reader] = {"missing-parts": missing_parts}
