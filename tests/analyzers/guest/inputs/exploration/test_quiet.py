"""When drawing ends for want of anything new."""

from pathlib import Path
from typing import Any

from analyzers.guest.inputs.exploration.exploration_phases import QUIET
from tests.analyzers.guest.guests import PROJECTS, GuestAtHand
from tests.analyzers.guest.inputs.exploration.test_exploring import contract


def test_drawing_ends_where_nothing_new_comes(tmp_path: Path) -> None:
    guest = GuestAtHand(tmp_path, PROJECTS / "explored")
    guest.prepare("plain.py", "refuses_odd")
    frame: dict[str, Any] = {"contract": contract(n="ints()"), "generators": {}, "first": []}
    frame |= {"examples": 3000, "seconds": 60.0, "timeout": 5.0, "seed": 0, "layer": None}
    guest._wire.send({"type": "explore", **frame})
    found = guest._received()
    guest.close()
    assert QUIET < found["executions"] < 2 * QUIET
    assert found["passed"] > QUIET / 4
