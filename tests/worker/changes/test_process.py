"""What a bounded child process says."""

import os
import sys

from worker.changes.git import MOST_SAID, ProcessCall, run_bounded

PIECES = """
import sys, time
for number in range(20):
    sys.stderr.write(f"piece {number}\\n")
    sys.stderr.flush()
    time.sleep(0.01)
"""


def said(program, tmp_path):
    call = ProcessCall([sys.executable, "-c", program], tmp_path, dict(os.environ))
    with run_bounded(call, 60) as process:
        assert process.ended(60)
        process.close()
    return process.said


def test_complaints_in_many_pieces_are_kept_whole(tmp_path):
    assert said(PIECES, tmp_path).splitlines() == [f"piece {number}" for number in range(20)]


def test_of_a_flood_of_complaints_the_end_is_kept(tmp_path):
    flood = f"import sys; sys.stderr.write('x' * {2 * MOST_SAID} + 'end')"
    told = said(flood, tmp_path)
    assert len(told) <= MOST_SAID
    assert told.endswith("xend")
