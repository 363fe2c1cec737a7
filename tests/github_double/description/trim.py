"""Cuts the double's description files out of the npm packages that SOURCES.md names.

Run by hand: ``python tests/github_double/description/trim.py FOLDER``, where FOLDER holds
the unpacked packages as ``openapi/``, ``webhooks/``, ``examples/`` and ``graphql/``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from graphql import build_schema, print_schema
from graphql.type import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
)

HERE = Path(__file__).parent

DROPPED = {
    "example",
    "examples",
    "tags",
    "externalDocs",
    "description",
    "summary",
    "x-github",
    "x-githubEnterpriseOverlay",
    "x-octokit",
    "x-multi-segment",
    "x-github-breaking-changes",
    "callbacks",
    "servers",
    "security",
}

OPERATIONS = [
    "GET /app",
    "GET /app/installations",
    "GET /app/installations/{installation_id}",
    "POST /app/installations/{installation_id}/access_tokens",
    "GET /app/hook/deliveries",
    "GET /app/hook/deliveries/{delivery_id}",
    "POST /app/hook/deliveries/{delivery_id}/attempts",
    "GET /installation/repositories",
    "DELETE /installation/token",
    "GET /rate_limit",
    "GET /users/{username}",
    "GET /repos/{owner}/{repo}",
    "GET /repos/{owner}/{repo}/installation",
    "GET /repos/{owner}/{repo}/collaborators/{username}/permission",
    "GET /repos/{owner}/{repo}/contents/{path}",
    "GET /repos/{owner}/{repo}/compare/{basehead}",
    "GET /repos/{owner}/{repo}/branches/{branch}",
    "GET /repos/{owner}/{repo}/commits",
    "GET /repos/{owner}/{repo}/commits/{ref}",
    "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
    "GET /repos/{owner}/{repo}/commits/{ref}/check-suites",
    "GET /repos/{owner}/{repo}/commits/{ref}/status",
    "GET /repos/{owner}/{repo}/commits/{ref}/statuses",
    "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls",
    "POST /repos/{owner}/{repo}/check-runs",
    "GET /repos/{owner}/{repo}/check-runs/{check_run_id}",
    "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}",
    "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations",
    "POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest",
    "POST /repos/{owner}/{repo}/check-suites",
    "GET /repos/{owner}/{repo}/check-suites/{check_suite_id}",
    "GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs",
    "POST /repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest",
    "GET /repos/{owner}/{repo}/pulls",
    "GET /repos/{owner}/{repo}/pulls/{pull_number}",
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/files",
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/commits",
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments",
    "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments",
    "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies",
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
    "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
    "PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
    "DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments",
    "PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals",
    "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events",
    "GET /repos/{owner}/{repo}/pulls/comments/{comment_id}",
    "PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}",
    "DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}",
    "POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions",
    "GET /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions",
    "DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}",
    "GET /repos/{owner}/{repo}/issues",
    "POST /repos/{owner}/{repo}/issues",
    "GET /repos/{owner}/{repo}/issues/{issue_number}",
    "PATCH /repos/{owner}/{repo}/issues/{issue_number}",
    "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
    "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
    "GET /repos/{owner}/{repo}/issues/comments/{comment_id}",
    "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}",
    "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}",
    "POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
    "GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
    "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}",
    "GET /repos/{owner}/{repo}/git/ref/{ref}",
    "POST /repos/{owner}/{repo}/git/refs",
    "PATCH /repos/{owner}/{repo}/git/refs/{ref}",
    "DELETE /repos/{owner}/{repo}/git/refs/{ref}",
    "GET /repos/{owner}/{repo}/git/trees/{tree_sha}",
    "GET /repos/{owner}/{repo}/git/blobs/{file_sha}",
    "POST /repos/{owner}/{repo}/statuses/{sha}",
]

EVENTS = [
    "check_run",
    "check_suite",
    "installation",
    "installation_repositories",
    "issue_comment",
    "merge_group",
    "ping",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "repository",
    "push",
]

TEMPLATES = [
    "check_run.created",
    "check_run.requested_action",
    "check_suite.requested",
    "installation.suspend",
    "installation_repositories.added",
    "issue_comment.created",
    "merge_group.checks_requested",
    "pull_request.opened",
    "pull_request_review.submitted",
    "pull_request_review_comment.created",
    "push",
    "repository.renamed",
    "ping",
]

TYPES = {
    "Query": "repository node rateLimit viewer",
    "Mutation": "resolveReviewThread unresolveReviewThread minimizeComment unminimizeComment",
    "Repository": "id databaseId name nameWithOwner isPrivate pullRequest",
    "PullRequest": "id databaseId number headRefOid state url reviewThreads comments",
    "PullRequestReviewThread": "id isResolved isOutdated isCollapsed path line originalLine "
    "startLine diffSide subjectType resolvedBy comments viewerCanResolve viewerCanUnresolve "
    "viewerCanReply",
    "PullRequestReviewThreadConnection": "nodes pageInfo totalCount edges",
    "PullRequestReviewThreadEdge": "cursor node",
    "PullRequestReviewComment": "id databaseId fullDatabaseId body author isMinimized "
    "minimizedReason outdated path line originalLine url createdAt updatedAt viewerDidAuthor "
    "replyTo",
    "PullRequestReviewCommentConnection": "nodes pageInfo totalCount edges",
    "PullRequestReviewCommentEdge": "cursor node",
    "IssueComment": "id databaseId fullDatabaseId body author isMinimized minimizedReason url "
    "createdAt updatedAt viewerDidAuthor",
    "IssueCommentConnection": "nodes pageInfo totalCount edges",
    "IssueCommentEdge": "cursor node",
    "PageInfo": "endCursor hasNextPage hasPreviousPage startCursor",
    "RateLimit": "cost limit nodeCount remaining resetAt used",
    "User": "login id databaseId",
    "Bot": "login id databaseId",
    "Organization": "login id databaseId",
    "ResolveReviewThreadPayload": "clientMutationId thread",
    "UnresolveReviewThreadPayload": "clientMutationId thread",
    "MinimizeCommentPayload": "clientMutationId minimizedComment",
    "UnminimizeCommentPayload": "clientMutationId unminimizedComment",
    "Actor": "login",
    "Node": "id",
    "Minimizable": "isMinimized minimizedReason",
    "RepositoryOwner": "login id",
}


def bare(value):
    """Leave out what no check reads; a property may be called like a dropped key."""
    if isinstance(value, list):
        return [bare(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, inner in value.items():
        if key in {"properties", "patternProperties", "schemas", "parameters"} and isinstance(
            inner, dict
        ):
            kept[key] = {name: bare(item) for name, item in inner.items()}
        elif key in {"enum", "const", "required", "default"}:
            kept[key] = inner
        elif key not in DROPPED and not key.startswith("x-"):
            kept[key] = bare(inner)
    return kept


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def with_components(kept, full):
    """Add the components that what is kept refers to, and those that these refer to."""
    waiting = list(references(kept))
    components = {}
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name in components.setdefault(kind, {}):
            continue
        components[kind][name] = bare(full["components"][kind][name])
        waiting.extend(references(components[kind][name]))
    return components


def write(name, value):
    (HERE / name).write_text(json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n")


def trim_operations(folder):
    full = json.loads((folder / "openapi/generated/api.github.com.json").read_text())
    paths = {}
    for line in OPERATIONS:
        method, path = line.split()
        paths.setdefault(path, {})[method.lower()] = bare(full["paths"][path][method.lower()])
    components = with_components(paths, full)
    write(
        "openapi.json",
        {
            "openapi": full["openapi"],
            "info": {"title": "GitHub", "version": full["info"]["version"]},
            "paths": paths,
            "components": components,
        },
    )


def trim_webhooks(folder):
    full = json.loads((folder / "webhooks/generated/api.github.com.json").read_text())
    events = {}
    for operation in full["webhooks"].values():
        schema = operation["post"]["requestBody"]["content"]["application/json"]["schema"]
        name = operation["post"]["operationId"].replace("/", ".").replace("-", "_")
        if name.split(".")[0] in EVENTS:
            events[name] = schema
    write("webhooks.json", {"events": events, "components": with_components(events, full)})


def trim_examples(folder):
    recorded = json.loads((folder / "examples/api.github.com/index.json").read_text())
    templates = {}
    for event in recorded:
        for example in event["examples"]:
            name = event["name"] + (f".{example['action']}" if "action" in example else "")
            if name in TEMPLATES and name not in templates:
                templates[name] = example
    write("templates.json", templates)
    return templates


def named(kind):
    while isinstance(kind, GraphQLNonNull | GraphQLList):
        kind = kind.of_type
    return kind


def trim_graphql(folder):
    full = build_schema((folder / "graphql/schema.graphql").read_text(), assume_valid=True)
    lines = []
    inputs = {}
    for name, fields in TYPES.items():
        kind = full.type_map[name]
        lines.append(heading(kind) + " {")
        for field_name in fields.split():
            field = kind.fields[field_name]
            arguments = {
                a: v
                for a, v in field.args.items()
                if named(v.type).name not in {"IssueCommentOrder", "PullRequestReviewThreadOrder"}
            }
            for argument in arguments.values():
                collect(named(argument.type), inputs)
            collect(named(field.type), inputs)
            inside = ", ".join(f"{a}: {v.type}" for a, v in arguments.items())
            lines.append(f"  {field_name}{f'({inside})' if inside else ''}: {field.type}")
        lines.append("}")
    lines.extend(inputs.values())
    schema = build_schema("\n".join(lines))
    (HERE / "schema.graphql").write_text(print_schema(schema) + "\n")


def heading(kind):
    word = "interface" if isinstance(kind, GraphQLInterfaceType) else "type"
    kept = [i.name for i in kind.interfaces if i.name in TYPES and kind.name != "Query"]
    return f"{word} {kind.name}" + (f" implements {' & '.join(kept)}" if kept else "")


def collect(kind, found):
    """Add the inputs, enumerations and scalars that the kept fields speak of."""
    if kind.name in found or kind.name in {"String", "Int", "Boolean", "ID", "Float"}:
        return
    if isinstance(kind, GraphQLScalarType):
        found[kind.name] = f"scalar {kind.name}"
    elif isinstance(kind, GraphQLEnumType):
        found[kind.name] = f"enum {kind.name} {{ {' '.join(kind.values)} }}"
    elif isinstance(kind, GraphQLInputObjectType):
        found[kind.name] = ""
        for field in kind.fields.values():
            collect(named(field.type), found)
        body = " ".join(f"{n}: {f.type}" for n, f in kind.fields.items())
        found[kind.name] = f"input {kind.name} {{ {body} }}"


if __name__ == "__main__":
    packages = Path(sys.argv[1])
    trim_operations(packages)
    trim_webhooks(packages)
    trim_examples(packages)
    trim_graphql(packages)
