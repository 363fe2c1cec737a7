import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.vocabulary import Conclusion, Level, Skipped, Status
from tests.worker.github_app.publishing import hostile
from tests.worker.github_app.publishing.documents import (
    ROOT,
    TODAY,
    case,
    document,
    full,
    ignore,
    pull_state,
    reported,
    run,
)
from tests.worker.report import samples
from worker.errors import MachineError
from worker.github_app.publishing.comment_marks import SUMMARY, fingerprint_in, has_mark
from worker.github_app.publishing.inline_comments import ChangedFile
from worker.github_app.publishing.publication import (
    PullRequestState,
    check_run_output,
    compose,
    suggestion_paths,
)
from worker.github_app.publishing.review_comment_plan import (
    Edit,
    Post,
    PostedComment,
    Resolve,
)
from worker.report.markdown_report import COMMENT_LIMIT, size
from worker.store.records import IgnoreKind, Policy, RunState

CRASH, RECALL = samples.crash(), samples.low_recall()


def posted(publication):
    return [step.review_comment for step in publication.steps if isinstance(step, Post)]


def standing(plan, comment=1, **changes):
    values = {"line": plan.line, "start_line": plan.start_line, "thread": f"T{comment}"}
    return PostedComment(plan.fingerprint, comment, plan.body, plan.path, **{**values, **changes})


def real(**changes):
    loaded = case()
    files = [ChangedFile(**file) for file in loaded["files"]]
    return reported(loaded["document"], **changes), PullRequestState(files, loaded["texts"])


def test_real_review_places_every_finding():
    publication = compose(*real())
    lines = [(plan.path, plan.start_line, plan.line) for plan in posted(publication)]
    assert lines == [
        ("expenses/comments.py", None, 25),
        ("expenses/receipts.py", None, 28),
        ("expenses/receipts.py", None, 37),
        ("expenses/comments.py", None, 9),
        ("expenses/receipts.py", None, 45),
    ]
    assert publication.check.conclusion == "failure"
    assert publication.check.title == "4 new findings block"
    assert [a.identifier for a in publication.check.actions] == ["rerun_4x", "baseline", "apply"]
    assert [len(batch) for batch in publication.check.annotations] == [5]


def test_real_remarks_say_all_that_a_reader_needs():
    bodies = {plan.line: plan.body for plan in posted(compose(*real()))}
    assert '```suggestion\n    if not annotations:\n        return ""\n' in bodies[28]
    assert f"![blank without words]({ROOT}/runs/0123abcd/files/" in bodies[28]
    assert "expires=" in bodies[28]
    assert "12 of 12 inputs, 100 % (95 % interval 76–100 %)" in bodies[9]
    assert "(rated" not in bodies[9]
    for body in bodies.values():
        assert "Reproduce: `assayer check --base d348fbae45e6 --target expenses/" in body
        end = body.rstrip().splitlines()[-3:]
        fingerprint = fingerprint_in(body)
        assert end[0] == f"Silence: `/assayer ignore {fingerprint} reason…`"


def test_summary_comment_leaves_the_machine_to_the_check_run():
    publication = compose(*real())
    assert "How it was tested" in publication.check.summary
    assert "How it was tested" not in publication.sticky


def test_figures_of_a_message_are_not_repeated():
    (mixed,) = [
        plan.body for plan in posted(compose(*real())) if "does not tell positive" in plan.body
    ]
    assert "that people rated positive (100 %, 95 % interval 76–100 %)" in mixed
    assert "Of positive texts this branch" not in mixed


def test_figures_that_a_message_lacks_are_told():
    (plan,) = posted(compose(reported(document(RECALL)), pull_state()))
    assert "Recall: " in plan.body


def test_overview_counts_findings_and_those_of_them_that_are_ignored():
    publication = compose(
        reported(document(CRASH), ignores=(ignore(CRASH.fingerprint),)),
        pull_state(sticky=True),
    )
    assert "1 new finding, 1 of them ignored" in publication.sticky


def test_findings_beyond_the_limit_stand_in_full_in_the_summary():
    what, where = real(policy=Policy(inline_comments=2))
    publication = compose(what, where)
    assert [plan.line for plan in posted(publication)] == [25, 28]
    assert "3 findings in full" in publication.sticky
    assert "/assayer ignore 296b84dfa908044e reason…" in publication.sticky
    assert "/assayer ignore 354e5000e62b9e8f reason…" not in publication.sticky


def test_remarks_that_stand_keep_their_place_on_the_next_push():
    what, where = real(policy=Policy(inline_comments=2))
    last = next(p for p in posted(compose(*real())) if p.line == 45)
    steps = compose(what, replace(where, review_comments=[standing(last)])).steps
    assert [type(step) for step in steps] == [Post]


def test_second_publication_of_a_run_changes_nothing():
    what, where = real()
    first = compose(what, where)
    there = [standing(plan, number) for number, plan in enumerate(posted(first), 1)]
    second = compose(what, replace(where, review_comments=there, sticky=True))
    assert second.steps == ()
    assert second.sticky == first.sticky


def test_success_is_silent():
    publication = compose(reported(document()), pull_state())
    assert (publication.check.conclusion, publication.steps) == ("success", ())
    assert publication.sticky is None
    assert [a.identifier for a in publication.check.actions] == ["rerun_4x"]


def test_existing_findings_are_silent():
    publication = compose(reported(document(replace(CRASH, status=Status.EXISTING))), pull_state())
    assert publication.sticky is None
    assert posted(publication) == []
    assert publication.check.annotations == ()


def test_skipped_says_why_and_has_no_buttons():
    why = "no ML call that Assayer knows in the change"
    skipped = document(
        targets=(), conclusion=Conclusion.SKIPPED, skipped=(Skipped("cloud", "a.py", why),)
    )
    publication = compose(reported(skipped), pull_state())
    assert publication.check.conclusion == "skipped"
    assert why in publication.check.summary
    assert publication.check.actions == ()
    assert publication.sticky is None


def test_summary_that_is_there_says_that_nothing_is_left():
    before = document(CRASH)
    [plan] = posted(compose(reported(before), pull_state()))
    publication = compose(
        reported(document(), previous=before),
        pull_state(sticky=True, review_comments=[standing(plan)]),
    )
    assert "Nothing is left to do here." in publication.sticky
    assert "Fixed since the last push:\n\n- `total_of` raises IndexError" in publication.sticky
    assert [type(step) for step in publication.steps] == [Resolve]


def test_nothing_is_resolved_by_a_run_that_could_not_test():
    before = document(CRASH)
    [plan] = posted(compose(reported(before), pull_state()))
    broken = document(broken=(samples.BROKEN.__class__("engines", "", "down"),))
    publication = compose(
        reported(broken, previous=before),
        pull_state(sticky=True, review_comments=[standing(plan)]),
    )
    assert publication.check.conclusion == "action_required"
    assert publication.steps == ()
    assert "Fixed since" not in publication.sticky


def test_failed_run_ends_with_our_apology_and_an_incident():
    failed = reported(None, run=run(RunState.FAILED, error="it took the worker down @octocat"))
    said = check_run_output(failed)
    assert said.conclusion == "action_required"
    assert "We are sorry" in said.summary
    assert "Incident `0123abcd`" in said.summary
    hostile.assert_harmless(said.summary, ROOT)
    assert compose(failed, pull_state()).sticky is None
    assert "We are sorry" in compose(failed, pull_state(sticky=True)).sticky


def test_what_people_have_to_correct_is_not_called_our_failure_and_never_passes():
    wrong = "the configuration on the base branch is wrong: pyproject.toml:2: @octocat"
    refused = run(RunState.FAILED, error=wrong, refused=True)
    asked = reported(None, run=refused, policy=Policy(fail_open=True))
    said = check_run_output(asked)
    assert said.conclusion == "action_required"
    assert "pyproject.toml:2" in said.summary
    assert "sorry" not in said.summary
    hostile.assert_harmless(said.summary, ROOT)
    assert "has to be corrected" in compose(asked, pull_state(sticky=True)).sticky


def test_cancelled_run_touches_nothing_else():
    cancelled = reported(full(), run=run(RunState.CANCELLED, error="superseded by abcdef1"))
    publication = compose(cancelled, pull_state(sticky=True))
    assert publication.check.conclusion == "cancelled"
    assert publication.check.title == "Cancelled: superseded by abcdef1"
    assert (publication.steps, publication.sticky) == ((), None)


def test_ignored_finding_is_settled_and_told_with_its_reason():
    [plan] = posted(compose(reported(document(CRASH)), pull_state()))
    ignores = (ignore(CRASH.fingerprint, reason="by design", until=TODAY),)
    publication = compose(
        reported(document(CRASH), ignores=ignores),
        pull_state(sticky=True, review_comments=[standing(plan)]),
    )
    assert publication.check.conclusion == "success"
    assert "ignored until 2026-05-04: by design" in publication.sticky
    [step] = publication.steps
    assert "This is ignored until 2026-05-04" in step.body


def test_baseline_settles_and_silences():
    ignores = (ignore(CRASH.fingerprint, kind=IgnoreKind.BASELINE),)
    publication = compose(reported(document(CRASH), ignores=ignores), pull_state())
    assert publication.check.conclusion == "success"
    assert publication.sticky is None


def test_ignore_that_is_no_longer_needed_is_told():
    ignores = (ignore("0" * 16, target=CRASH.target, reason="old"),)
    said = check_run_output(reported(document(), ignores=ignores))
    assert "No longer needed" in said.summary
    assert "`/assayer unignore 0000000000000000`" in said.summary


def test_notices_stand_in_the_summary_only():
    publication = compose(reported(document(samples.changed(), CRASH)), pull_state())
    assert [plan.fingerprint for plan in posted(publication)] == [CRASH.fingerprint]
    assert "2 of 3 inputs have another outcome" in publication.sticky


def test_verified_suggestion_that_cannot_be_placed_is_shown_to_be_read():
    patch = "@@ -12,1 +12,1 @@\n-old\n+    return words[0].description.split()[-1]"
    files = [ChangedFile("shop/receipts.py", "modified", patch)]
    [plan] = posted(compose(reported(document(CRASH)), pull_state(files=files)))
    assert (plan.line, plan.start_line) == (12, None)
    assert "```suggestion" not in plan.body
    assert "```diff\n+     if not words:" in plan.body


def test_suggestion_without_the_heads_text_has_no_button():
    [plan] = posted(compose(reported(document(CRASH)), pull_state(texts={})))
    assert "```suggestion" not in plan.body
    assert suggestion_paths(reported(document(CRASH))) == {"shop/receipts.py"}


def test_finding_outside_the_hunks_is_told_on_the_file_and_says_where():
    files = [ChangedFile("shop/receipts.py", "modified", "@@ -1,1 +1,1 @@\n-a\n+b")]
    [plan] = posted(compose(reported(document(CRASH)), pull_state(files=files)))
    assert (plan.path, plan.line) == ("shop/receipts.py", None)
    assert plan.body.startswith("`shop/receipts.py:12`\n\n")


def test_finding_outside_the_pull_request_is_told_in_the_summary():
    publication = compose(reported(document(CRASH)), pull_state(files=[]))
    assert publication.steps == ()
    assert "1 finding in full" in publication.sticky


def test_no_inline_comments_where_the_repository_wants_none():
    publication = compose(reported(full(), policy=Policy(inline_comments=0)), pull_state())
    assert publication.steps == ()
    assert "3 findings in full" in publication.sticky


def test_thread_that_people_resolved_takes_no_place():
    plans = posted(compose(reported(full()), pull_state()))
    review_comments = [standing(plans[0], resolved=True)]
    publication = compose(
        reported(full(), policy=Policy(inline_comments=1)),
        pull_state(review_comments=review_comments),
    )
    assert [plan.fingerprint for plan in posted(publication)] == [plans[1].fingerprint]
    assert len(publication.steps) == 1


def test_run_without_a_pull_request_has_no_apply_button():
    said = check_run_output(reported(full(), run=run(pull=None)))
    assert [action.identifier for action in said.actions] == ["rerun_4x", "baseline"]


def test_changed_text_is_edited():
    plans = posted(compose(reported(full()), pull_state()))
    old = replace(plans[0], body="old")
    steps = compose(reported(full()), pull_state(review_comments=[standing(old)])).steps
    assert Edit(1, plans[0].body) in steps


def test_malformed_documents_are_refused():
    with pytest.raises(MachineError, match="malformed"):
        check_run_output(reported({**full(), "verdict": "fine"}))


def texts_of(publication):
    yield publication.check.summary, 65_535
    yield publication.check.text or "", 65_535
    yield publication.sticky or "", COMMENT_LIMIT
    for plan in posted(publication):
        yield plan.body, COMMENT_LIMIT


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(hostile.findings(), hostile.TEXT, st.integers(0, 3))
def test_hostile_texts_stay_harmless_and_within_the_limits(found, reason, inline):
    written = document(*found, skipped=(Skipped("cloud", reason, reason),), environment=(reason,))
    ignores = [ignore(f.fingerprint, reason=reason) for f in found[:1]]
    what = reported(written, policy=Policy(inline_comments=inline), ignores=tuple(ignores))
    publication = compose(what, pull_state())
    for text, limit in texts_of(publication):
        assert size(text) <= limit
        assert "\ud800" not in text
        hostile.assert_harmless(text, ROOT)
        hostile.assert_closed(text)
    for plan in posted(publication):
        assert fingerprint_in(plan.body) == plan.fingerprint
    if publication.sticky is not None:
        assert has_mark(publication.sticky, SUMMARY)
    for batch in publication.check.annotations:
        assert len(batch) <= 50
        for note in batch:
            assert size(note.message) <= 65_536
            assert len(note.title) <= 255
            assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", note.message)


def test_many_findings_fit():
    many = [
        replace(CRASH, symbol=f"s{n}", title="é" * 290, message="m " * 1_500, level=level)
        for n, level in enumerate([Level.FAILURE, Level.WARNING] * 110)
    ]
    publication = compose(reported(document(*many)), pull_state())
    for text, limit in texts_of(publication):
        assert size(text) <= limit
        hostile.assert_closed(text)
    assert len(posted(publication)) == 5
    assert [len(batch) for batch in publication.check.annotations] == [50, 50, 50, 50, 20]
    assert re.search(r"\d+ more findings in the \[full report\]", publication.check.text)
    assert f"]({ROOT}/runs/0123abcd?expires=" in publication.sticky
