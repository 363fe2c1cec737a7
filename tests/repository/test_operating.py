"""What operators are given agrees with the code: App, commands, variables, document."""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

import click
import pytest
import yaml
from pydantic import BaseModel

from app.webhook import HANDLED
from tests.repository.syntax_trees import tree
from worker.cli import COMMANDS, cli
from worker.github_app.client.rights import EVENTS, PERMISSIONS, UNASKED
from worker.settings.operator_settings import (
    EngineSettings,
    Settings,
    SourceSettings,
    read_settings,
)

ROOT = Path(__file__).parents[2]
MANIFEST = json.loads((ROOT / "docs/operating/github-app-manifest.json").read_text())
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
KUBERNETES = yaml.safe_load((ROOT / "docs/operating/kubernetes.yaml").read_text())["items"]
CONTAINERFILE = (ROOT / "Containerfile").read_text()
OPERATING = (ROOT / "docs/operating.md").read_text()
RANK = {"read": 1, "write": 2, "admin": 3}
OURS = ("web", "publisher", "beat", "worker", "gpu")

# ----------------------------------------------------------------------- App


def asked_for() -> Iterator[tuple[str, str]]:
    """Every permission that the code narrows a token to."""
    for path in (ROOT / "worker").rglob("*.py"):
        if path.name == "rights.py":
            continue
        for node in ast.walk(tree(path.read_text())):
            if isinstance(node, ast.Dict):
                named = [
                    (_text(key), _text(value))
                    for key, value in zip(node.keys, node.values, strict=True)
                ]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "api":
                named = [(keyword.arg, _text(keyword.value)) for keyword in node.keywords]
            else:
                continue
            if named and all(level in {"read", "write"} and name for name, level in named):
                yield from named


def _text(node: ast.AST | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def test_manifest_asks_for_what_the_code_says_it_needs():
    assert MANIFEST["default_permissions"] == PERMISSIONS
    assert sorted(MANIFEST["default_events"]) == sorted(EVENTS)


def test_app_is_told_of_every_event_that_is_handled_and_of_no_other():
    assert set(HANDLED) == EVENTS | UNASKED


def test_tokens_ask_for_every_permission_of_the_app_and_for_no_other():
    asked: dict[str, str] = {}
    for name, level in asked_for():
        asked[name] = max(asked.get(name, "read"), level, key=RANK.__getitem__)
    # GitHub sends merge_group to those who may read merge queues; nothing is asked of them
    assert asked | {"merge_queues": "read"} == PERMISSIONS


def test_manifest_leads_to_the_webhook_and_stays_private():
    assert MANIFEST["hook_attributes"]["url"] == MANIFEST["url"] + "webhooks/github"
    assert "/webhooks/github" in (ROOT / "app/webhook.py").read_text()
    assert MANIFEST["public"] is False


# ------------------------------------------------------------------ commands


def parsed(words: list[str]) -> tuple[str, dict[str, Any]]:
    """What the command line makes of an ``assayer`` command; fails where it refuses it."""
    name, *rest = words
    command = cli.get_command(click.Context(cli), name)
    assert command is not None, f"no such command: {name}"
    with command.make_context(name, list(rest)) as context:
        return name, context.params


def procfile() -> dict[str, list[str]]:
    lines = (ROOT / "Procfile").read_text().replace("${PORT:-8000}", "8000").splitlines()
    return {line.partition(":")[0]: shlex.split(line.partition(":")[2]) for line in lines}


def deployments() -> dict[str, dict[str, Any]]:
    found = [item for item in KUBERNETES if item["kind"] == "Deployment"]
    return {item["metadata"]["name"]: item["spec"]["template"]["spec"] for item in found}


def container(name: str) -> dict[str, Any]:
    [only] = deployments()[name]["containers"]
    return only


EXPECTED = {
    "web": ("serve", {"web_only": True, "port": 8000}),
    "publisher": ("worker", {"queues": ("publish",)}),
    "beat": ("beat", {}),
    "worker": ("worker", {"queues": ("cpu",)}),
    "gpu": ("worker", {"queues": ("gpu",)}),
}


def is_as_expected(part: str, words: list[str]) -> bool:
    name, options = parsed(words)
    return (name, options | EXPECTED[part][1]) == (EXPECTED[part][0], options)


def test_procfile_starts_every_part():
    lines = procfile()
    assert set(lines) == set(EXPECTED)
    for part, (program, *words) in lines.items():
        assert program == "assayer"
        assert is_as_expected(part, words)


@pytest.mark.parametrize("part", EXPECTED)
def test_compose_starts_every_part(part):
    assert is_as_expected(part, COMPOSE["services"][part]["command"])


@pytest.mark.parametrize("part", [part for part in EXPECTED if part != "gpu"])
def test_kubernetes_starts_every_part(part):
    assert is_as_expected(part, container(part)["args"])


def test_image_starts_assayer():
    [entry] = re.findall(r"^ENTRYPOINT (.*)", CONTAINERFILE, re.MULTILINE)
    [words] = re.findall(r"^CMD (.*)", CONTAINERFILE, re.MULTILINE)
    assert json.loads(entry) == ["assayer"]
    assert parsed(json.loads(words))[1]["host"] == "0.0.0.0"


def test_image_has_what_the_wheel_is_made_of():
    packages = re.search(r"^packages = \[(.*)\]", (ROOT / "pyproject.toml").read_text(), re.M)[1]
    copied = re.findall(r"^COPY (\w+) \1$", CONTAINERFILE, re.MULTILINE)
    assert sorted(copied) == sorted(re.findall(r'"(\w+)"', packages))


def test_image_has_the_system_packages_of_the_setup_script():
    script = (ROOT / "scripts/system-packages").read_text()
    needed = re.search(r"^needed=\(([^)]*)\)", script, re.M)[1].split()
    assert [name for name in needed if name not in CONTAINERFILE] == []


# ------------------------------------------------------- settings and secrets


def compose_variables(part: str) -> dict[str, str]:
    given = COMPOSE["services"][part]["environment"]
    return {name: re.sub(r"\$\{(\w+)[^}]*\}", _example, value) for name, value in given.items()}


def _example(found: re.Match[str]) -> str:
    return "https://assayer.example" if "URL" in found[1] else "123456"


def kubernetes_variables(part: str) -> dict[str, str]:
    maps = {i["metadata"]["name"]: i["data"] for i in KUBERNETES if i["kind"] == "ConfigMap"}
    here = container(part)
    given = {
        k: v for source in here["envFrom"] for k, v in maps[source["configMapRef"]["name"]].items()
    }
    for one in here["env"]:
        given[one["name"]] = one.get("value", "postgresql+psycopg://assayer@db/assayer")
    return given


def settings_of(variables: dict[str, str], monkeypatch) -> Settings:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return read_settings()


SOURCES = [(compose_variables, part) for part in OURS] + [
    (kubernetes_variables, part) for part in OURS if part != "gpu"
]


@pytest.mark.parametrize(("variables", "part"), SOURCES)
def test_variables_are_settings_and_each_part_has_its_own_secrets_only(
    variables, part, monkeypatch
):
    settings = settings_of(variables(part), monkeypatch)
    github = settings.github
    assert settings.queue.url
    assert settings.store.url.startswith("postgresql+psycopg://")
    assert settings.store.blobs == "/var/lib/assayer/blobs"
    assert (github.private_key_file is not None) is (part == "publisher")
    assert (github.webhook_secret is not None) is (part in {"web", "publisher"})
    assert (github.app_id is not None) is (part in {"publisher", "beat"}), (
        "beat asks for redelivery"
    )
    if part in {"web", "publisher"}:
        assert settings.app.public_url == "https://assayer.example" or "example" in str(
            settings.app.public_url
        )


@pytest.mark.parametrize("part", OURS)
def test_compose_mounts_each_secret_that_a_part_names(part):
    named = re.findall(r"/run/secrets/([\w-]+)", " ".join(compose_variables(part).values()))
    assert sorted(named) == sorted(COMPOSE["services"][part]["secrets"])
    assert set(named) <= set(COMPOSE["secrets"])


@pytest.mark.parametrize("part", [part for part in OURS if part != "gpu"])
def test_kubernetes_mounts_each_secret_that_a_part_names(part):
    pod, variables = deployments()[part], kubernetes_variables(part)
    named = set(re.findall(r"/run/assayer/([\w.-]+)", " ".join(variables.values())))
    mounted = {
        item["path"]
        for volume in pod["volumes"]
        if "secret" in volume
        for item in volume["secret"]["items"]
    }
    assert mounted == named
    assert {mount["name"] for mount in container(part)["volumeMounts"]} == {
        volume["name"] for volume in pod["volumes"]
    }


def test_pods_and_containers_hold_no_rights():
    for part in deployments():
        pod, here = deployments()[part], container(part)
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["automountServiceAccountToken"] is False
        assert here["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert here["securityContext"]["readOnlyRootFilesystem"] is True
    for part in OURS:
        service = COMPOSE["services"][part]
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "USER 10001" in CONTAINERFILE


# ------------------------------------------------------------------ document


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = [
            part for part in (field.annotation, *get_args(field.annotation)) if _is_model(part)
        ]
        if get_origin(field.annotation) is dict:
            yield from (f'{prefix}{name}."…".{key}' for key in inner[0].model_fields)
        elif inner and not isinstance(field.annotation, UnionType):
            yield from fields(inner[0], f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def _is_model(part: object) -> bool:
    return isinstance(part, type) and issubclass(part, BaseModel)


def documented() -> Iterator[str]:
    """Settings in the document's table: rows ``| `name` | … |`` below ``### [section]``."""
    section = ""
    for line in OPERATING.splitlines():
        if found := re.fullmatch(r"### `\[([\w.\"…]+)\]`.*", line):
            section = found[1]
        elif line.startswith("#"):
            section = ""
        elif section and (found := re.match(r"\| `(\w+)` \|", line)):
            yield f"{section}.{found[1]}"


def test_every_setting_is_documented_and_none_that_is_not_there():
    assert EngineSettings.model_fields
    assert SourceSettings.model_fields
    assert sorted(documented()) == sorted(fields(Settings))


def test_documented_defaults_are_the_real_ones():
    rows = re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", OPERATING, re.MULTILINE)
    known = {}
    settings = Settings()
    for section in Settings.model_fields:
        value = getattr(settings, section)
        if isinstance(value, BaseModel):
            known[section] = {name: getattr(value, name) for name in type(value).model_fields}
    section = ""
    compared = 0
    for line in OPERATING.splitlines():
        if found := re.fullmatch(r"### `\[(\w+)\]`.*", line):
            section = found[1]
        elif section and (row := re.match(r"\| `(\w+)` \| `([^`]*)` \|", line)):
            real = known[section][row[1]]
            assert row[2] == _written(real), f"{section}.{row[1]}"
            compared += 1
    assert compared >= 30, rows


def _written(value: object) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and type(value).__name__ == "ByteSize":
        return f'"{value.human_readable().replace(".0", "")}"'
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return json.dumps(list(value) if isinstance(value, tuple) else str(value))


def test_commands_in_the_document_exist():
    commands = re.findall(rf"(?<![\w./-])assayer ((?:{'|'.join(COMMANDS)})\b[^`\n|#]*)", OPERATING)
    assert len(commands) > 10
    for words in commands:
        parsed(shlex.split(words.split("  ")[0].split(" > ")[0]))


def test_variables_in_the_document_are_settings():
    known = {name.upper().replace(".", "__") for name in fields(Settings)}
    named = set(re.findall(r"ASSAYER_(\w+__\w+)", OPERATING))
    assert named
    assert named <= known


def test_metrics_in_the_document_exist():
    table = (ROOT / "docs/operating/metrics.md").read_text()
    known = set(re.findall(r"`(assayer_\w+)`", table))
    named = set(re.findall(r"assayer_[a-z_]+", OPERATING)) - {"assayer_settings"}
    assert named <= known


def test_files_that_the_document_names_are_there():
    links = re.findall(r"\]\(([^)#:]+)\)", OPERATING)
    assert links
    for link in links:
        assert (ROOT / "docs" / link).exists(), link
