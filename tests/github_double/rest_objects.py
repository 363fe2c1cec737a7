"""The state as GitHub's REST API writes it."""

from __future__ import annotations

import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.github_double import anchors
from tests.github_double.diffs import FileDiff
from tests.github_double.state import (
    Account,
    CheckRun,
    CheckSuite,
    Installation,
    Issue,
    IssueComment,
    Pull,
    Reaction,
    Repository,
    Review,
    ReviewComment,
    State,
    Status,
)
from tests.github_double.tokens import App

ROOT = Path(__file__).parents[2]
MANIFEST = json.loads((ROOT / "docs/operating/github-app-manifest.json").read_text())
"""The App is registered as operators are told to."""

CONTENTS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def node(kind: str, number: int) -> str:
    """A GraphQL id."""
    return f"{kind}_{base64.urlsafe_b64encode(str(number).encode()).decode().rstrip('=')}"


def number_of(node_id: str) -> tuple[str, int]:
    """What ``node`` was made of; raises ``ValueError`` for anything else."""
    kind, _, rest = node_id.partition("_")
    return kind, int(base64.urlsafe_b64decode(rest + "=" * (-len(rest) % 4)))


class Shapes:
    """Writes the nouns; ``api`` and ``web`` are the double's own addresses."""

    def __init__(self, state: State, app: App, api: str, web: str) -> None:
        self.state = state
        self.app = app
        self.api = api
        self.web = web

    def user(self, account: Account) -> dict[str, Any]:
        url = f"{self.api}/users/{quote(account.login)}"
        page = account.login.removesuffix("[bot]")
        return {
            "login": account.login,
            "id": account.id,
            "node_id": node("U", account.id),
            "avatar_url": f"{self.web}/avatars/{account.id}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.web}/apps/{page}"
            if page != account.login
            else f"{self.web}/{page}",
            "followers_url": f"{url}/followers",
            "following_url": f"{url}/following{{/other_user}}",
            "gists_url": f"{url}/gists{{/gist_id}}",
            "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
            "subscriptions_url": f"{url}/subscriptions",
            "organizations_url": f"{url}/orgs",
            "repos_url": f"{url}/repos",
            "events_url": f"{url}/events{{/privacy}}",
            "received_events_url": f"{url}/received_events",
            "type": account.type,
            "site_admin": False,
            "user_view_type": "public",
        }

    def full_user(self, account: Account) -> dict[str, Any]:
        return self.user(account) | {
            "name": None,
            "company": None,
            "blog": None,
            "location": None,
            "email": None,
            "hireable": None,
            "bio": None,
            "public_repos": 0,
            "public_gists": 0,
            "followers": 0,
            "following": 0,
            "created_at": "2020-01-01T00:00:00Z",
            "updated_at": "2020-01-01T00:00:00Z",
        }

    def repo_url(self, repository: Repository) -> str:
        return f"{self.api}/repos/{repository.full_name}"

    def repository(self, repository: Repository) -> dict[str, Any]:
        url = self.repo_url(repository)
        html = f"{self.web}/{repository.full_name}"
        return {
            "id": repository.id,
            "node_id": node("R", repository.id),
            "name": repository.name,
            "full_name": repository.full_name,
            "private": repository.private,
            "owner": self.user(repository.owner),
            "html_url": html,
            "description": None,
            "fork": repository.parent is not None,
            "url": url,
            **{key: url + end for key, end in _REPOSITORY_URLS.items()},
            "git_url": html.replace("http", "git", 1) + ".git",
            "ssh_url": f"git@github.example:{repository.full_name}.git",
            "clone_url": f"{html}.git",
            "svn_url": html,
            "mirror_url": None,
            "homepage": None,
            "language": None,
            "license": None,
            **_repository_counts(),
            "default_branch": repository.default_branch,
            "visibility": "private" if repository.private else "public",
            "pushed_at": repository.created_at,
            "created_at": repository.created_at,
            "updated_at": repository.created_at,
        }

    def full_repository(self, repository: Repository) -> dict[str, Any]:
        whole = self.repository(repository) | {"network_count": 0, "subscribers_count": 0}
        if repository.parent:
            parent = self.repository(repository.parent)
            whole |= {"parent": parent, "source": parent}
        return whole

    def minimal(self, repository: Repository) -> dict[str, Any]:
        return {
            "id": repository.id,
            "url": self.repo_url(repository),
            "name": repository.name,
        }

    def branch(self, repository: Repository, name: str, sha: str) -> dict[str, Any]:
        url = f"{self.repo_url(repository)}/branches/{name}"
        return {
            "name": name,
            "commit": self.commit(repository, repository.git.entry(sha)),
            "_links": {"html": f"{self.web}/{repository.full_name}/tree/{name}", "self": url},
            "protected": False,
            "protection": {"enabled": False},
            "protection_url": f"{url}/protection",
        }

    def app_shape(self) -> dict[str, Any]:
        owner = self.state.account("assayer-makers", "Organization")
        return {
            "id": self.app.id,
            "slug": self.app.slug,
            "client_id": f"Iv1.{self.app.id}",
            "node_id": node("A", self.app.id),
            "owner": self.user(owner),
            "name": self.app.slug.capitalize(),
            "description": None,
            "external_url": "https://assayer.example/",
            "html_url": f"{self.web}/apps/{self.app.slug}",
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
            "permissions": {"checks": "write", "metadata": "read"},
            "events": ["check_run", "pull_request"],
        }

    def registered(self) -> dict[str, Any]:
        """The App as it is told to itself; the description of events does not know merge_group."""
        granted = {"permissions": MANIFEST["default_permissions"]}
        return {**self.app_shape(), **granted, "events": MANIFEST["default_events"]}

    def installation(self, installation: Installation) -> dict[str, Any]:
        url = f"{self.api}/app/installations/{installation.id}"
        return {
            "id": installation.id,
            "account": self.user(installation.account),
            "repository_selection": installation.selection,
            "access_tokens_url": f"{url}/access_tokens",
            "repositories_url": f"{self.api}/installation/repositories",
            "html_url": f"{self.web}/settings/installations/{installation.id}",
            "app_id": self.app.id,
            "app_slug": self.app.slug,
            "target_id": installation.account.id,
            "target_type": installation.account.type,
            "permissions": dict(installation.permissions),
            "events": ["check_run", "pull_request"],
            "created_at": installation.created_at,
            "updated_at": installation.created_at,
            "single_file_name": None,
            "has_multiple_single_files": False,
            "single_file_paths": [],
            "suspended_by": None,
            "suspended_at": installation.suspended_at,
        }

    def pull_url(self, pull: Pull) -> str:
        return f"{self.repo_url(pull.repository)}/pulls/{pull.number}"

    def pull_page(self, pull: Pull) -> str:
        return f"{self.web}/{pull.repository.full_name}/pull/{pull.number}"

    def pull_simple(self, pull: Pull) -> dict[str, Any]:
        url = self.pull_url(pull)
        issue = f"{self.repo_url(pull.repository)}/issues/{pull.number}"
        page = self.pull_page(pull)
        statuses = f"{self.repo_url(pull.repository)}/statuses/{pull.head_sha}"
        links = {
            "self": url,
            "html": page,
            "issue": issue,
            "comments": f"{issue}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self.repo_url(pull.repository)}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": statuses,
        }
        return {
            "id": pull.id,
            "node_id": node("PR", pull.id),
            "number": pull.number,
            "url": url,
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "issue_url": issue,
            "commits_url": f"{url}/commits",
            "review_comments_url": f"{url}/comments",
            "review_comment_url": links["review_comment"],
            "comments_url": links["comments"],
            "statuses_url": statuses,
            "state": pull.issue.state,
            "locked": False,
            "title": pull.issue.title,
            "user": self.user(pull.user),
            "body": pull.issue.body,
            "labels": [],
            "milestone": None,
            "active_lock_reason": None,
            "created_at": pull.issue.created_at,
            "updated_at": pull.updated_at,
            "closed_at": pull.issue.closed_at,
            "merged_at": pull.merged_at,
            "merge_commit_sha": None,
            "assignee": None,
            "assignees": [],
            "requested_reviewers": [],
            "requested_teams": [],
            "head": self._side(pull, pull.head_repository, pull.head_owner, "head"),
            "base": self._side(pull, pull.repository, pull.repository.owner, "base"),
            "_links": {name: {"href": href} for name, href in links.items()},
            "author_association": self.association(pull.repository, pull.user),
            "auto_merge": None,
            "draft": pull.draft,
        }

    def _side(
        self, pull: Pull, repository: Repository | None, owner: Account, side: str
    ) -> dict[str, Any]:
        ref = pull.head_ref if side == "head" else pull.base_ref
        return {
            "label": f"{owner.login}:{ref}",
            "ref": ref,
            "sha": pull.head_sha if side == "head" else pull.base_sha,
            "user": self.user(owner),
            "repo": self.repository(repository) if repository else None,
        }

    def pull(self, pull: Pull) -> dict[str, Any]:
        files = anchors.files(pull)
        return self.pull_simple(pull) | {
            "merged": pull.merged_at is not None,
            "mergeable": None,
            "rebaseable": None,
            "mergeable_state": "unknown",
            "merged_by": None,
            "comments": len(self.state.comments_of.get(pull.issue.id, [])),
            "review_comments": sum(len(t.comments) for t in self.threads(pull)),
            "maintainer_can_modify": pull.maintainers_edit,
            "commits": max(1, len(pull.heads)),
            "additions": sum(file.additions for file in files),
            "deletions": sum(file.deletions for file in files),
            "changed_files": len(files),
        }

    def threads(self, pull: Pull) -> list[Any]:
        return self.state.threads_of.get(pull.id, [])

    def file(
        self, repository: Repository, sha: str, file: FileDiff, *, patch: bool = True
    ) -> dict[str, Any]:
        web = f"{self.web}/{repository.full_name}"
        path = quote(file.path)
        shape = {
            "sha": file.sha,
            "filename": file.path,
            "status": file.status,
            "additions": file.additions,
            "deletions": file.deletions,
            "changes": file.additions + file.deletions,
            "blob_url": f"{web}/blob/{sha}/{path}",
            "raw_url": f"{web}/raw/{sha}/{path}",
            "contents_url": f"{self.repo_url(repository)}/contents/{path}?ref={sha}",
        }
        if file.previous:
            shape["previous_filename"] = file.previous
        if patch and file.patch is not None:
            shape["patch"] = file.patch
        return shape

    def commit(self, repository: Repository, entry: dict[str, Any]) -> dict[str, Any]:
        url = f"{self.repo_url(repository)}/commits/{entry['sha']}"
        return {
            "sha": entry["sha"],
            "node_id": node("C", int(entry["sha"][:12], 16)),
            "commit": {
                "author": {"name": entry["an"], "email": entry["ae"], "date": entry["ad"]},
                "committer": {"name": entry["cn"], "email": entry["ce"], "date": entry["cd"]},
                "message": entry["message"].rstrip("\n"),
                "tree": {
                    "sha": entry["tree"],
                    "url": f"{self.repo_url(repository)}/git/trees/{entry['tree']}",
                },
                "url": f"{self.repo_url(repository)}/git/commits/{entry['sha']}",
                "comment_count": 0,
                "verification": {
                    "verified": False,
                    "reason": "unsigned",
                    "signature": None,
                    "payload": None,
                    "verified_at": None,
                },
            },
            "url": url,
            "html_url": f"{self.web}/{repository.full_name}/commit/{entry['sha']}",
            "comments_url": f"{url}/comments",
            "author": None,
            "committer": None,
            "parents": [
                {
                    "sha": sha,
                    "url": f"{self.repo_url(repository)}/commits/{sha}",
                    "html_url": f"{self.web}/{repository.full_name}/commit/{sha}",
                }
                for sha in entry["parents"].split()
            ],
        }

    def pull_minimal(self, pull: Pull) -> dict[str, Any]:
        return {
            "url": self.pull_url(pull),
            "id": pull.id,
            "number": pull.number,
            "head": {
                "ref": pull.head_ref,
                "sha": pull.head_sha,
                "repo": self.minimal(pull.repository),
            },
            "base": {
                "ref": pull.base_ref,
                "sha": pull.base_sha,
                "repo": self.minimal(pull.repository),
            },
        }

    def suite_runs(self, suite: CheckSuite) -> list[CheckRun]:
        found = self.state.runs_of.get((suite.repository.id, suite.head_sha), [])
        return [run for run in found if run.suite is suite]

    def suite(self, suite: CheckSuite) -> dict[str, Any]:
        runs = self.suite_runs(suite)
        status, conclusion = suite_status(suite, runs)
        url = f"{self.repo_url(suite.repository)}/check-suites/{suite.id}"
        entry = suite.repository.git.entry(suite.head_sha)
        commit = self.commit(suite.repository, entry)["commit"]
        return {
            "id": suite.id,
            "node_id": node("CS", suite.id),
            "head_branch": suite.head_branch,
            "head_sha": suite.head_sha,
            "status": status,
            "conclusion": conclusion,
            "url": url,
            "before": "0" * 40,
            "after": suite.head_sha,
            "pull_requests": self._named(suite.repository, suite.head_sha),
            "app": self.app_shape(),
            "repository": self.repository(suite.repository),
            "created_at": suite.created_at,
            "updated_at": suite.updated_at,
            "latest_check_runs_count": len(runs),
            "check_runs_url": f"{url}/check-runs",
            "head_commit": {
                "id": suite.head_sha,
                "tree_id": commit["tree"]["sha"],
                "message": commit["message"],
                "timestamp": suite.created_at,
                "author": {key: commit["author"][key] for key in ("name", "email")},
                "committer": {key: commit["committer"][key] for key in ("name", "email")},
            },
        }

    def _named(self, repository: Repository, sha: str) -> list[dict[str, Any]]:
        return [self.pull_minimal(p) for p in self.state.pulls_with_head(repository, sha)]

    def check_run(self, run: CheckRun) -> dict[str, Any]:
        url = f"{self.repo_url(run.repository)}/check-runs/{run.id}"
        page = f"{self.web}/{run.repository.full_name}/runs/{run.id}"
        return {
            "id": run.id,
            "name": run.name,
            "node_id": node("CR", run.id),
            "head_sha": run.head_sha,
            "external_id": run.external_id,
            "url": url,
            "html_url": page,
            "details_url": run.details_url or "https://assayer.example/",
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": run.started_at,
            "completed_at": run.completed_at,
            "output": {
                "title": run.title,
                "summary": run.summary,
                "text": run.text,
                "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "check_suite": {"id": run.suite.id},
            "app": self.app_shape(),
            "pull_requests": self._named(run.repository, run.head_sha),
        }

    def annotation(self, run: CheckRun, annotation: dict[str, Any]) -> dict[str, Any]:
        web = f"{self.web}/{run.repository.full_name}"
        names = ("path", "start_line", "end_line", "annotation_level", "message")
        rest = ("start_column", "end_column", "title", "raw_details")
        return {
            **{name: annotation[name] for name in names},
            **{name: annotation.get(name) for name in rest},
            "blob_href": f"{web}/blob/{run.head_sha}/{quote(annotation['path'])}",
        }

    def review(self, review: Review) -> dict[str, Any]:
        page = f"{self.pull_page(review.pull)}#pullrequestreview-{review.id}"
        shape = {
            "id": review.id,
            "node_id": node("PRR", review.id),
            "user": self.user(review.user),
            "body": review.body,
            "state": review.state,
            "html_url": page,
            "pull_request_url": self.pull_url(review.pull),
            "_links": {
                "html": {"href": page},
                "pull_request": {"href": self.pull_url(review.pull)},
            },
            "commit_id": review.commit_id,
            "author_association": self.association(review.pull.repository, review.user),
        }
        if review.submitted_at:
            shape["submitted_at"] = review.submitted_at
        return shape

    def review_comment(self, comment: ReviewComment) -> dict[str, Any]:
        thread = comment.thread
        pull = thread.pull
        url = f"{self.repo_url(pull.repository)}/pulls/comments/{comment.id}"
        page = f"{self.pull_page(pull)}#discussion_r{comment.id}"
        place = anchors.now_at(thread)
        shape = {
            "url": url,
            "pull_request_review_id": comment.review.id,
            "id": comment.id,
            "node_id": node("PRRC", comment.id),
            "diff_hunk": thread.hunk,
            "path": thread.path,
            "position": place.position if place else (1 if thread.file else None),
            "original_position": place.original_position if place else 1,
            "commit_id": pull.head_sha if place or thread.file else thread.commit,
            "original_commit_id": thread.commit,
            "user": self.user(comment.user),
            "body": comment.body,
            "created_at": comment.created_at,
            "updated_at": comment.updated_at,
            "html_url": page,
            "pull_request_url": self.pull_url(pull),
            "author_association": self.association(pull.repository, comment.user),
            "_links": {
                "self": {"href": url},
                "html": {"href": page},
                "pull_request": {"href": self.pull_url(pull)},
            },
            "start_line": place.start if place else None,
            "original_start_line": thread.start,
            "start_side": thread.start_side,
            "line": place.line if place else None,
            "original_line": thread.line,
            "side": thread.side,
            "subject_type": "file" if thread.file else "line",
            "reactions": self.reactions(url, "pull", comment.id),
        }
        if comment.reply:
            shape["in_reply_to_id"] = thread.comments[0].id
        return shape

    def issue(self, issue: Issue) -> dict[str, Any]:
        url = f"{self.repo_url(issue.repository)}/issues/{issue.number}"
        kind = "pull" if issue.pull else "issues"
        page = f"{self.web}/{issue.repository.full_name}/{kind}/{issue.number}"
        shape: dict[str, Any] = {
            "id": issue.id,
            "node_id": node("I", issue.id),
            "url": url,
            "repository_url": self.repo_url(issue.repository),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "html_url": page,
            "number": issue.number,
            "state": issue.state,
            "state_reason": None,
            "title": issue.title,
            "body": issue.body,
            "user": self.user(issue.user),
            "labels": [self._label(issue.repository, name) for name in issue.labels],
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "locked": False,
            "active_lock_reason": None,
            "comments": len(self.state.comments_of.get(issue.id, [])),
            "closed_at": issue.closed_at,
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
            "author_association": self.association(issue.repository, issue.user),
            "reactions": self.reactions(url, "issue", issue.id),
            "performed_via_github_app": None,
        }
        if issue.pull:
            shape["draft"] = issue.pull.draft
            shape["pull_request"] = {
                "url": self.pull_url(issue.pull),
                "html_url": page,
                "diff_url": f"{page}.diff",
                "patch_url": f"{page}.patch",
                "merged_at": issue.pull.merged_at,
            }
        return shape

    def _label(self, repository: Repository, name: str) -> dict[str, Any]:
        return {
            "id": sum(name.encode()),
            "node_id": node("L", sum(name.encode())),
            "url": f"{self.repo_url(repository)}/labels/{name}",
            "name": name,
            "description": None,
            "color": "ededed",
            "default": False,
        }

    def issue_comment(self, comment: IssueComment) -> dict[str, Any]:
        repository = self.repo_url(comment.issue.repository)
        url = f"{repository}/issues/comments/{comment.id}"
        kind = "pull" if comment.issue.pull else "issues"
        page = f"{self.web}/{comment.issue.repository.full_name}/{kind}/{comment.issue.number}"
        return {
            "id": comment.id,
            "node_id": node("IC", comment.id),
            "url": url,
            "html_url": f"{page}#issuecomment-{comment.id}",
            "issue_url": f"{repository}/issues/{comment.issue.number}",
            "user": self.user(comment.user),
            "body": comment.body,
            "created_at": comment.created_at,
            "updated_at": comment.updated_at,
            "author_association": self.association(comment.issue.repository, comment.user),
            "performed_via_github_app": None,
            "reactions": self.reactions(url, "issue comment", comment.id),
        }

    def reactions(self, url: str, kind: str, number: int) -> dict[str, Any]:
        given = self.state.reactions.get((kind, number), [])
        counts = Counter(reaction.content for reaction in given)
        return {
            "url": f"{url}/reactions",
            "total_count": len(given),
            **{content: counts[content] for content in CONTENTS},
        }

    def reaction(self, reaction: Reaction) -> dict[str, Any]:
        return {
            "id": reaction.id,
            "node_id": node("REA", reaction.id),
            "user": self.user(reaction.user),
            "content": reaction.content,
            "created_at": reaction.created_at,
        }

    def status(self, status: Status) -> dict[str, Any]:
        return {
            "url": f"{self.repo_url(status.repository)}/statuses/{status.sha}",
            "avatar_url": None,
            "id": status.id,
            "node_id": node("SC", status.id),
            "state": status.state,
            "description": status.description,
            "target_url": status.target_url,
            "context": status.context,
            "created_at": status.created_at,
            "updated_at": status.created_at,
            "creator": self.user(status.creator),
        }

    def simple_status(self, status: Status) -> dict[str, Any]:
        whole = self.status(status)
        del whole["creator"]
        return whole | {"required": False}

    def association(self, repository: Repository, account: Account) -> str:
        """What GitHub says of somebody: deliberately of little use for permissions."""
        if account is repository.owner:
            return "OWNER"
        role = repository.roles.get(account.login.lower(), "none")
        return "CONTRIBUTOR" if role in {"none", "read"} else "COLLABORATOR"


def suite_status(suite: CheckSuite, runs: list[CheckRun]) -> tuple[str, str | None]:
    """A suite is as far as the least far of its runs; its conclusion the worst."""
    if suite.reset or not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return "in_progress", None
    order = (
        "failure",
        "timed_out",
        "cancelled",
        "action_required",
        "success",
        "neutral",
        "skipped",
    )
    made = {run.conclusion for run in runs}
    return "completed", next(name for name in order if name in made)


def _repository_counts() -> dict[str, Any]:
    zero = ("forks_count", "stargazers_count", "watchers_count", "size", "open_issues_count")
    return {
        **dict.fromkeys((*zero, "forks", "open_issues", "watchers"), 0),
        "is_template": False,
        "topics": [],
        "has_issues": True,
        "has_projects": False,
        "has_wiki": False,
        "has_pages": False,
        "has_downloads": True,
        "has_discussions": False,
        "archived": False,
        "disabled": False,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "permissions": {"admin": False, "push": False, "pull": False},
    }


_REPOSITORY_URLS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
