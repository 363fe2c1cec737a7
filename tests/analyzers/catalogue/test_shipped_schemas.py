import json
import subprocess
import sys

import pytest

from scripts.extract_schemas.descriptor_schemas import NAMES, SCHEMAS

EXTRACT = """
import json, sys
from scripts.extract_schemas.descriptor_schemas import extract
print(json.dumps(extract(sys.argv[1])))
"""


def extracted(name: str) -> dict:
    """A fresh extraction, in a process of its own: it imports the SDK."""
    program = [sys.executable, "-c", EXTRACT, name]
    done = subprocess.run(program, check=True, capture_output=True, timeout=600)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_shipped_schema_equals_the_sdks(name: str) -> None:
    shipped = json.loads((SCHEMAS / f"{name}.json").read_text())
    assert shipped == extracted(name)


def test_every_type_is_described() -> None:
    scalars = {"string", "bytes", "bool", "float", "double", "int32", "int64", "uint64", "uint32"}
    scalars |= {"timestamp", "any"}
    for name in NAMES:
        schema = json.loads((SCHEMAS / f"{name}.json").read_text())
        known = scalars | schema["messages"].keys() | schema["enums"].keys()
        used = {
            field["type"] for message in schema["messages"].values() for field in message.values()
        }
        assert used <= known
