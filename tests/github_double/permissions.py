"""Which permission each operation asks for: any one of its alternatives suffices."""

from __future__ import annotations

READ = "read"
WRITE = "write"

CHECKS = [("checks", READ)]
CHECKS_WRITE = [("checks", WRITE)]
CONTENTS = [("contents", READ)]
CONTENTS_WRITE = [("contents", WRITE)]
PULLS = [("pull_requests", READ)]
PULLS_WRITE = [("pull_requests", WRITE)]
TALK = [("issues", READ), ("pull_requests", READ)]
TALK_WRITE = [("issues", WRITE), ("pull_requests", WRITE)]
METADATA = [("metadata", READ)]
STATUSES = [("statuses", READ)]

NEEDED: dict[str, list[tuple[str, str]]] = {
    "repos/get": METADATA,
    "repos/get-collaborator-permission-level": METADATA,
    "repos/get-content": CONTENTS,
    "repos/compare-commits-with-basehead": CONTENTS,
    "repos/get-branch": CONTENTS,
    "repos/list-commits": CONTENTS,
    "repos/get-commit": CONTENTS,
    "repos/list-pull-requests-associated-with-commit": PULLS,
    "repos/get-combined-status-for-ref": STATUSES,
    "repos/list-commit-statuses-for-ref": STATUSES,
    "repos/create-commit-status": [("statuses", WRITE)],
    "checks/list-for-ref": CHECKS,
    "checks/list-suites-for-ref": CHECKS,
    "checks/create": CHECKS_WRITE,
    "checks/get": CHECKS,
    "checks/update": CHECKS_WRITE,
    "checks/list-annotations": CHECKS,
    "checks/rerequest-run": CHECKS_WRITE,
    "checks/create-suite": CHECKS_WRITE,
    "checks/get-suite": CHECKS,
    "checks/list-for-suite": CHECKS,
    "checks/rerequest-suite": CHECKS_WRITE,
    "pulls/list": PULLS,
    "pulls/get": PULLS,
    "pulls/list-files": PULLS,
    "pulls/list-commits": PULLS,
    "pulls/list-review-comments": PULLS,
    "pulls/create-review-comment": PULLS_WRITE,
    "pulls/create-reply-for-review-comment": PULLS_WRITE,
    "pulls/list-reviews": PULLS,
    "pulls/create-review": PULLS_WRITE,
    "pulls/get-review": PULLS,
    "pulls/update-review": PULLS_WRITE,
    "pulls/delete-pending-review": PULLS_WRITE,
    "pulls/list-comments-for-review": PULLS,
    "pulls/dismiss-review": PULLS_WRITE,
    "pulls/submit-review": PULLS_WRITE,
    "pulls/get-review-comment": PULLS,
    "pulls/update-review-comment": PULLS_WRITE,
    "pulls/delete-review-comment": PULLS_WRITE,
    "reactions/create-for-pull-request-review-comment": PULLS_WRITE,
    "reactions/list-for-pull-request-review-comment": PULLS,
    "reactions/delete-for-pull-request-comment": PULLS_WRITE,
    "issues/list-for-repo": TALK,
    "issues/create": [("issues", WRITE)],
    "issues/get": TALK,
    "issues/update": TALK_WRITE,
    "issues/list-comments": TALK,
    "issues/create-comment": TALK_WRITE,
    "issues/get-comment": TALK,
    "issues/update-comment": TALK_WRITE,
    "issues/delete-comment": TALK_WRITE,
    "reactions/create-for-issue-comment": TALK_WRITE,
    "reactions/list-for-issue-comment": TALK,
    "reactions/delete-for-issue-comment": TALK_WRITE,
    "git/get-ref": CONTENTS,
    "git/create-ref": CONTENTS_WRITE,
    "git/update-ref": CONTENTS_WRITE,
    "git/delete-ref": CONTENTS_WRITE,
    "git/get-tree": CONTENTS,
    "git/get-blob": CONTENTS,
}
