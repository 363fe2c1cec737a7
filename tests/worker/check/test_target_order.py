"""Targets are examined by what a second on them is worth."""

from dataclasses import replace

from analyzers.vocabulary import ApiCall, ChangeSet, FileChange, Reason, Target
from worker.check.target_order import LastOutcome, most_telling_first

CLOUD, DEEP = "google.vision.label_detection", "torch.stack"


def function(name, line, api=CLOUD, reason=Reason.CHANGED):
    return Target("app.py", name, line, line + 9, reason, (ApiCall(api, "app.py", name, line),))


def changes(*lines):
    return ChangeSet("here", "b", None, (FileChange("app.py", frozenset(lines)),), {}, {})


def names(targets):
    return [target.function for target in targets]


CALLER = function("caller", 1, reason=Reason.CALLS_CHANGED)
SMALL = function("small", 20)
WHOLE = function("whole", 40)
SLOW = function("slow", 60, DEEP)


def test_changed_functions_come_before_callers_and_most_changed_first():
    ordered = most_telling_first(
        [CALLER, SMALL, WHOLE, SLOW], changes(21, *range(40, 50), *range(60, 70)), {}
    )
    assert names(ordered) == ["whole", "small", "slow", "caller"]


def test_what_failed_before_comes_first():
    ordered = most_telling_first(
        [SMALL, WHOLE, CALLER], changes(21), {CALLER.id: LastOutcome(failed=True, seconds=4.0)}
    )
    assert names(ordered)[0] == "caller"


def test_what_took_long_before_comes_later():
    last = {SMALL.id: LastOutcome(failed=False, seconds=50.0)}
    assert names(most_telling_first([SMALL, WHOLE], changes(), last)) == ["whole", "small"]


def test_longest_come_first_where_all_fit():
    text = function("text", 80, "google.language.analyze_sentiment")
    unordered, room = [CALLER, text, SMALL, SLOW], 36.0
    ordered = names(most_telling_first(unordered, changes(), {}, room))
    assert ordered == ["slow", "small", "text", "caller"]
    short = names(most_telling_first(unordered, changes(), {}, room - 1))
    assert short == ["text", "small", "slow", "caller"]


def test_equals_stay_in_their_order():
    twin = replace(SMALL, function="twin")
    assert names(most_telling_first([SMALL, twin], changes(), {})) == ["small", "twin"]


def test_examples_come_after_the_code_that_they_show():
    paths = ("examples/app.py", "train_it.py", "docs/1.ipynb", "a/train_it.py")
    shown = [replace(SMALL, path=path) for path in paths]
    ordered = most_telling_first([*shown, CALLER], changes(), {})
    assert [each.path for each in ordered] == [paths[3], *paths[:3], "app.py"]
