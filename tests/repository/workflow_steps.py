"""The shell steps of a composite action, run as a runner runs them."""

import os
import re
import subprocess
from pathlib import Path

import yaml

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_FALLBACK = re.compile(r"(\S+) \|\| format\('([^']*)', (\S+)\)")
_SHOWN = re.compile(r"(\S+) (==|!=) '([^']*)'")


class Workflow:
    """One job on a runner: its folders and files, and what its steps have said."""

    def __init__(self, action: Path, workspace: Path, temp: Path, event: Path, **variables):
        self.action = yaml.safe_load(action.read_text("utf-8"))
        self.temp = temp
        temp.mkdir()
        self.summary = temp / "summary.md"
        self.log = ""
        self.used: list[tuple[str, dict[str, str]]] = []
        self._workspace = workspace
        self._outputs: dict[str, str] = {}
        self._contexts = {
            "github.action_path": str(action.parent),
            "github.run_id": "1",
            "github.run_attempt": "1",
            "runner.os": "Linux",
        }
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(temp),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(temp),
            **variables,
        }

    def run(self, **inputs: str) -> int:
        """Run the steps; return the exit status of the first that fails, else 0."""
        known = {name: each.get("default", "") for name, each in self.action["inputs"].items()}
        given = {name.replace("_", "-"): text for name, text in inputs.items()}
        assert given.keys() <= known.keys()
        self._contexts |= {f"inputs.{name}": text for name, text in (known | given).items()}
        for step in self.action["runs"]["steps"]:
            if not self._wanted(step.get("if", "")):
                continue
            if "uses" in step:
                values = {name: self._filled(str(text)) for name, text in step["with"].items()}
                self.used.append((step["uses"], values))
            elif status := self._shell(step):
                return status
        return 0

    def outputs(self) -> dict[str, str]:
        """Return the outputs of the action."""
        return {name: self._filled(o["value"]) for name, o in self.action["outputs"].items()}

    def _shell(self, step: dict) -> int:
        assert step["shell"] == "bash"
        output = self.temp / f"output-{len(list(self.temp.iterdir()))}"
        output.touch()
        given = {name: self._filled(text) for name, text in step.get("env", {}).items()}
        script = self.temp / "step.sh"
        script.write_text(self._filled(step["run"]))
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self._workspace,
            env={**self._environment, **given, "GITHUB_OUTPUT": str(output)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.log += done.stdout
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self._contexts[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def _wanted(self, condition: str) -> bool:
        parts = [_SHOWN.fullmatch(part.strip()) for part in condition.split("&&") if part.strip()]
        assert all(parts), condition
        return all((self._value(p[1]) == p[3]) is (p[2] == "==") for p in parts)

    def _filled(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self._value(found[1]), text)

    def _value(self, expression: str) -> str:
        fallback = _FALLBACK.fullmatch(expression)
        if fallback:
            first = self._value(fallback[1])
            return first or fallback[2].replace("{0}", self._value(fallback[3]))
        if expression in self._contexts:
            return self._contexts[expression]
        assert expression.startswith("steps."), expression
        return ""
