"""Where receipts are kept."""

import json
from pathlib import Path


class Archive:
    def __init__(self, folder):
        self.folder = Path(folder)

    def file(self, kind, name, facts):
        drawer = self.folder / kind
        drawer.mkdir(parents=True, exist_ok=True)
        (drawer / f"{name}.json").write_text(json.dumps(facts, indent=2))

    def count(self, kind):
        return len(list((self.folder / kind).glob("*.json")))
