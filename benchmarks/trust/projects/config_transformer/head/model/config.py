from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Config:
    vocabulary: int = 128
    width: int = 32
    heads: int = 4
    layers: int = 2
    context: int = 64
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError("width must be divisible by heads")

    @classmethod
    def from_file(cls, path: str | Path) -> Config:
        known = cls.__dataclass_fields__
        values = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(**{name: value for name, value in values.items() if name in known})

    def to_file(self, path: str | Path) -> None:
        Path(path).write_text(json.dumps(asdict(self), indent=2), encoding="utf-8")
