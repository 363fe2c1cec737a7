"""Which branches must run before a target counts as tested."""

from textwrap import dedent, indent

import pytest

from analyzers.coverage import main_branches
from analyzers.vocabulary import ApiCall, BranchOutcome, Goal, Reason, Target

LABELS = "google.vision.label_detection"


def decided(number, outcome, function="f"):
    return Goal("app.py", function, number, None, outcome, 1, 1, "t", "t")


def branches(body, *goals, api="torch.relu", reason=Reason.CHANGED, calls=()):
    """The main branches of ``f``, whose lines with CALL ask the API, as ``number:outcome``."""
    source = "def f(x, flag=None):\n" + indent(dedent(body), "    ")
    lines = [at for at, line in enumerate(source.split("\n"), 1) if "CALL" in line]
    known = tuple(ApiCall(api, "app.py", "f", line) for line in lines) + tuple(calls)
    target = Target("app.py", "f", 1, 99, reason, known, tuple(goals), ("app.py",))
    found = main_branches(target, {"app.py": source})
    return [each.point.rpartition("#")[2] for each in found]


def test_guards_that_raise_do_not_count():
    assert branches("""\
        if x is None:
            raise ValueError(x.shape)
        return CALL(x)
    """) == ["0:false"]


def test_code_behind_a_guard_counts():
    body = """\
        if flag:
            return None
        if x is None:
            return CALL(x)
        return CALL(x)
    """
    assert branches(body, api=LABELS) == ["0:false", "1:true", "1:false"]


@pytest.mark.parametrize(
    ("statement", "api", "counts"),
    [
        ("flag = (1, 1)", "torch.relu", False),
        ("print('slow')", "torch.relu", False),
        ("logger.info('%s', x.shape)", "torch.relu", False),
        ("flag = int(flag)", "torch.relu", False),
        ("x = x.masked_fill(flag, 0)", "torch.relu", True),
        ("x = float(x.mean())", "torch.relu", True),
        ("x = x @ flag", "torch.relu", True),
        ("x = CALL(x)", "torch.relu", True),
        ("x = x.strip()", LABELS, False),
        ("x = CALL(x)", LABELS, True),
        ("x = helper(x)", LABELS, True),
    ],
)
def test_branches_that_do_the_work_count(statement, api, counts):
    calls = [ApiCall(api, "app.py", "helper", 50)]
    body = f"    if flag:\n        {statement}\n    return x\n"
    assert branches(body, api=api, calls=calls) == (["0:true"] if counts else [])


def test_both_outcomes_on_an_answer_count():
    goals = decided(0, BranchOutcome.TRUE), decided(0, BranchOutcome.FALSE)
    body = "    return 1 if CALL(x) else 2\n"
    assert branches(body, *goals, api=LABELS) == ["0:true", "0:false"]


def test_errors_that_an_api_answers_do_not_count():
    goals = decided(0, BranchOutcome.TRUE), decided(0, BranchOutcome.FALSE)
    body = """\
        answer = CALL(x)
        if answer.error.message:
            raise RuntimeError(answer.error.message)
        return answer
    """
    assert branches(body, *goals, api=LABELS) == ["0:false"]


def test_exception_handlers_do_not_count():
    body = """\
        try:
            return CALL(x)
        except ValueError:
            if flag:
                return CALL(x)
            return None
    """
    assert branches(body) == []


@pytest.mark.parametrize(
    "test", ["torch.cuda.is_available()", "x.is_cuda", "torch.__version__ >= '2'"]
)
def test_what_the_machine_decides_does_not_count(test):
    assert branches(f"    if {test}:\n        x = x.cuda()\n    return CALL(x)\n") == []


def test_loops_and_cases_count_where_they_work():
    body = """\
        for each in x:
            CALL(each)
        while flag:
            CALL(x)
        match flag:
            case 1:
                CALL(x)
            case _:
                pass
    """
    assert branches(body) == ["0:true", "1:true", "2:true"]


def test_changed_code_counts_in_its_caller():
    goal = decided(0, BranchOutcome.TRUE, "helper")
    assert branches("    return CALL(x)\n", goal, api=LABELS) == []
    found = branches("    return CALL(x)\n", goal, api=LABELS, reason=Reason.CALLS_CHANGED)
    assert found == ["0:true"]


def test_unreadable_text_has_no_branches():
    target = Target("app.py", "f", 1, 9, Reason.CHANGED, (), (), ("app.py",))
    assert main_branches(target, {"app.py": "def f(:"}) == ()
