"""A pool survives what calls do to a process, and says which call did it."""

import ctypes
import gc
import os
import signal
import stat
from contextlib import suppress

import pytest
import torch

from analyzers.guest.relations.process_pool import (
    ItemDone,
    ItemFailed,
    ItemReport,
    ProcessDied,
    ProcessHung,
    ProcessPool,
    ReplaceProcess,
)


def results(work, items=1, seconds=30.0, **options):
    """What a pool says of each item."""
    found = {item: [] for item in range(items)}
    for item, result in ProcessPool(work, items, seconds, **options):
        found[item].append(result)
    return found


def stepping(*actions):
    """Work whose steps are the actions, and that reports what they return."""

    def work(item, start, begin, report):
        for step in range(start, len(actions)):
            begin(step, f"{item}: action {step}")
            report(actions[step]())

    return work


def hang():
    while True:
        pass


def divide():
    smallest = torch.tensor([torch.iinfo(torch.int64).min])
    return torch.div(smallest, -1, rounding_mode="trunc").tolist()


def allocate():
    try:
        return torch.empty(2**31 * 64).numel()
    except (RuntimeError, MemoryError) as error:
        return type(error).__name__


def test_every_way_to_die_is_named_and_the_rest_completed():
    actions = [
        lambda: "first",
        lambda: ctypes.string_at(0),
        divide,
        hang,
        allocate,
        lambda: os._exit(0),
        os.abort,
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: "last",
    ]
    found = results(stepping(*actions), items=2, seconds=1.0)
    for item, outcome in found.items():
        text = f"{item}: action"
        assert outcome == [
            ItemReport("first"),
            ProcessDied(1, f"{text} 1", signal.SIGSEGV),
            ProcessDied(2, f"{text} 2", signal.SIGFPE),
            ProcessHung(3, f"{text} 3", 1.0),
            ItemReport("RuntimeError"),
            ProcessDied(5, f"{text} 5", 0),
            ProcessDied(6, f"{text} 6", signal.SIGABRT),
            ProcessDied(7, f"{text} 7", signal.SIGKILL),
            ItemReport("last"),
            ItemDone(),
        ]


def test_large_blocks_are_refused_and_small_ones_made():
    def work(item, start, begin, report):
        begin(0, "")
        report(len(bytearray(1 << 20)))
        with pytest.raises(MemoryError):
            bytearray(1 << 32)
        report("refused")

    assert results(work)[0] == [ItemReport(1 << 20), ItemReport("refused"), ItemDone()]


def test_an_item_that_dies_too_often_is_given_up_and_others_are_not():
    def work(item, start, begin, report):
        for step in range(start, 10):
            begin(step, str(step))
            if item == 0:
                os.abort()
        report(item)

    found = results(work, items=3, batch=3, deaths=2)
    assert found[0][:2] == [
        ProcessDied(0, "0", signal.SIGABRT),
        ProcessDied(1, "1", signal.SIGABRT),
    ]
    assert found[0][2:] == [ItemFailed("given up after 2 deaths")]
    assert found[1] == [ItemReport(1), ItemDone()]
    assert found[2] == [ItemReport(2), ItemDone()]


def test_a_step_whose_work_raises_is_told_and_left_behind():
    def work(item, start, begin, report):
        for step in range(start, 3):
            begin(step, str(step))
            if step == 1:
                raise ValueError("mine")
            report(step)

    first, failed, last, over = results(work)[0]
    assert (first, last, over) == (ItemReport(0), ItemReport(2), ItemDone())
    assert failed.step == 1
    assert "ValueError: mine" in failed.text


def test_work_that_raises_before_any_step_has_ended():
    def work(item, start, begin, report):
        if item == 0:
            raise SystemExit(3)
        report(item)

    found = results(work, items=2, batch=2)
    assert [type(each) for each in found[0]] == [ItemFailed]
    assert found[1] == [ItemReport(1), ItemDone()]


def test_a_spoiled_process_is_replaced():
    def work(item, start, begin, report):
        for step in range(start, 3):
            begin(step, "")
            report(os.getpid())
            if step == 0:
                raise ReplaceProcess

    first, second, third, over = results(work)[0]
    assert first != second
    assert second == third
    assert over == ItemDone()


def test_what_a_child_says_in_bad_form_ends_only_its_item():
    def work(item, start, begin, report):
        begin(0, "")
        if item == 0:
            for descriptor in range(3, 64):
                with suppress(OSError):
                    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                        os.write(descriptor, b"no report\n")
            hang()
        report(item)

    found = results(work, items=2)
    assert [type(each) for each in found[0]] == [ItemFailed]
    assert found[1] == [ItemReport(1), ItemDone()]


def test_items_of_a_batch_share_a_process():
    def work(item, start, begin, report):
        report(os.getpid())

    found = results(work, items=6, batch=3)
    pids = [found[item][0].value for item in range(6)]
    assert len(set(pids[:3])) == len(set(pids[3:])) == 1
    assert len(set(pids)) == 2


@pytest.mark.slow
def test_whoever_stops_listening_leaves_no_process():
    def work(item, start, begin, report):
        begin(0, "")
        report(os.getpid())
        hang()

    for _, result in ProcessPool(work, 1, 60.0):
        child = result.value
        break
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
