"""What a guest says of variants of a file: states that can be, one for each."""

import pytest

from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.protocol.guest_frames import check

STATE = {
    "state": "raised",
    "stage": "forward",
    "exception": "RuntimeError",
    "detail": "mat1 and mat2 shapes cannot be multiplied",
    "line": 12,
    "finite": True,
    "apis": ["torch.nn.Linear", "torch.nn.functional.relu"],
    "seconds": 0.002,
}
ASKED = {"type": "assemble", "files": ["x = 1\n"]}


def checked(**changes):
    check({"type": "assembled", "states": [{**STATE, **changes}]}, ASKED, 0)


def test_state_of_each_file_passes():
    checked()
    checked(state="ran", stage="", exception="", detail="", line=0, apis=[])
    check({"type": "assembled", "states": []}, ASKED, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "won"},
        {"stage": "later"},
        {"exception": ""},
        {"state": "ran"},
        {"exception": "`rm`"},
        {"detail": "x" * 1000},
        {"line": -1},
        {"finite": 1},
        {"apis": ["os.system"]},
        {"apis": ["torch.nn.Linear(1)"]},
        {"seconds": -1.0},
        {"more": 1},
    ],
)
def test_what_no_state_can_be_is_refused(changes):
    with pytest.raises(BadFrame):
        checked(**changes)


def test_states_are_as_many_as_files():
    with pytest.raises(BadFrame, match="one state for each"):
        check({"type": "assembled", "states": [STATE, STATE]}, ASKED, 0)


def test_nobody_else_asks_for_states():
    with pytest.raises(BadFrame, match="no reply"):
        check({"type": "assembled", "states": []}, {"type": "relate", "apis": []}, 0)
