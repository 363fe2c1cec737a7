from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.github_app.messages import GONE
from worker.github_app.publishing.comment_marks import fingerprint_in
from worker.github_app.publishing.review_comment_plan import (
    Edit,
    PlannedComment,
    Post,
    PostedComment,
    Reopen,
    Resolve,
    SayFixed,
    WantedComments,
    reconcile,
)

A, B, C = "a" * 16, "b" * 16, "c" * 16
PLAN = PlannedComment(A, "a.py", "new", 5)
THERE = PostedComment(A, 1, "new", "a.py", 5, thread="T1")


def steps(plans, there):
    return reconcile(WantedComments(plans), there)


def test_new_finding_is_posted():
    assert steps([PLAN], []) == (Post(PLAN),)


def test_finding_that_stays_is_kept():
    assert steps([PLAN], [THERE]) == ()
    assert steps([PLAN], [replace(THERE, body="new\r\n")]) == ()


def test_changed_text_is_edited_in_place():
    assert steps([PLAN], [replace(THERE, body="old")]) == (Edit(1, "new"),)


def test_gone_finding_is_resolved_when_nothing_is_left():
    [step] = steps([], [THERE])
    assert (step.comment, step.thread) == (1, "T1")
    assert GONE in step.body
    assert fingerprint_in(step.body) == A


def test_a_comment_whose_thread_is_unknown_says_that_it_is_fixed():
    there = replace(THERE, thread=None)
    [step] = steps([], [there])
    assert isinstance(step, SayFixed)
    assert steps([], [replace(there, body=step.body)]) == ()


@pytest.mark.parametrize("plans", [[], [PLAN]])
def test_threads_in_which_people_answered_are_left_alone(plans):
    assert steps(plans, [replace(THERE, body="old", answered=True)]) == ()


def test_answered_thread_on_other_lines_is_not_doubled():
    assert steps([PLAN], [replace(THERE, line=9, answered=True)]) == ()


def test_answered_outdated_thread_stays_and_the_finding_is_told_anew():
    outdated = replace(THERE, line=None, outdated=True, answered=True)
    assert steps([PLAN], [outdated]) == (Post(PLAN),)


@pytest.mark.parametrize(
    "changes", [{"line": None, "outdated": True}, {"line": 9}, {"path": "b.py"}]
)
def test_finding_on_other_lines_is_told_anew_and_the_old_thread_resolved(changes):
    post, resolve = steps([PLAN], [replace(THERE, **changes)])
    assert post == Post(PLAN)
    assert isinstance(resolve, Resolve)


def test_finding_that_is_back_reopens_its_thread():
    settled = replace(THERE, body="gone", resolved=True, ours=True)
    assert steps([PLAN], [settled]) == (Reopen(1, "T1", "new"),)


def test_finding_that_is_back_is_unsaid_where_nothing_was_resolved():
    assert steps([PLAN], [replace(THERE, body="gone", ours=True)]) == (Reopen(1, None, "new"),)


def test_finding_that_is_back_on_other_lines_is_posted():
    settled = replace(THERE, line=None, outdated=True, resolved=True, ours=True)
    assert steps([PLAN], [settled]) == (Post(PLAN),)


def test_what_people_resolved_stays_resolved():
    assert steps([PLAN], [replace(THERE, resolved=True)]) == ()


def test_of_two_remarks_the_newest_stays():
    twice = [THERE, replace(THERE, comment=2, thread="T2")]
    assert {type(step): step.comment for step in steps([PLAN], twice)} == {Resolve: 1}


def test_findings_that_were_not_tested_again_are_left_alone():
    assert reconcile(WantedComments([], unsure={A}), [THERE]) == ()


def test_reason_for_settling_is_told():
    [step] = reconcile(WantedComments([], reasons={A: "This is ignored."}), [THERE])
    assert "**This is ignored.**" in step.body


WORDS = st.sampled_from(["x", "y"])
PLANS = st.builds(
    PlannedComment,
    st.sampled_from([A, B, C]),
    st.sampled_from(["a.py", "b.py"]),
    WORDS,
    st.sampled_from([None, 1, 2]),
)
EVENTS = st.lists(
    st.tuples(st.sampled_from(["answer", "resolve", "outdate"]), st.integers(0, 5)), max_size=3
)
PUSHES = st.lists(
    st.tuples(st.lists(PLANS, max_size=3, unique_by=lambda p: p.fingerprint), EVENTS), max_size=6
)


class ThreadWorld:
    """A pull request's threads, and what the steps make of them."""

    def __init__(self):
        self.there = []

    def happen(self, event, number):
        if not self.there:
            return
        index = number % len(self.there)
        change = {
            "answer": {"answered": True},
            "resolve": {"resolved": True},
            "outdate": {"outdated": True, "line": None},
        }[event]
        if event != "outdate" or self.there[index].line is not None:
            self.there[index] = replace(self.there[index], **change)

    def obey(self, steps):
        for step in steps:
            match step:
                case Post(plan):
                    number = len(self.there) + 1
                    self.there.append(
                        PostedComment(
                            plan.fingerprint,
                            number,
                            plan.body,
                            plan.path,
                            plan.line,
                            plan.start_line,
                            f"T{number}",
                        )
                    )
                case Edit(comment, body):
                    self.change(comment, body=body)
                case SayFixed(comment, body):
                    self.change(comment, body=body, ours=True)
                case Resolve(comment):
                    self.change(comment, resolved=True, ours=True)
                case Reopen(comment, _, body):
                    self.change(comment, resolved=False, ours=False, body=body)

    def change(self, comment, **changes):
        before = self.there[comment - 1]
        assert not before.answered, "a thread in which people wrote was touched"
        assert before.ours or not before.resolved, "what people resolved was touched"
        self.there[comment - 1] = replace(before, **changes)

    def open(self, fingerprint):
        return [
            r
            for r in self.there
            if r.fingerprint == fingerprint and not (r.resolved or r.ours or r.outdated)
        ]


@settings(max_examples=200, deadline=None)
@given(PUSHES)
def test_pushes_never_double_and_never_repeat(pushes):
    world = ThreadWorld()
    for plans, events in pushes:
        for event, number in events:
            world.happen(event, number)
        wanted = WantedComments(plans)
        world.obey(reconcile(wanted, world.there))
        again = reconcile(wanted, world.there)
        assert again == ()
        for fingerprint in (A, B, C):
            mine = [r for r in world.open(fingerprint) if not r.answered]
            planned = any(plan.fingerprint == fingerprint for plan in plans)
            assert len(mine) <= planned
