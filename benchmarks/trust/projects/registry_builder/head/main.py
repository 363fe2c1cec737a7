import json
import sys
from pathlib import Path

import torch

from zoo import build

DEFAULT = {"type": "mlp", "classes": 4}


def read(path):
    """Settings from a JSON file; the default ones without one."""
    file = Path(path)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else DEFAULT


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "head.json"
    head = build(read(path))
    print(head(torch.zeros(1, 16)).shape)


if __name__ == "__main__":
    main()
