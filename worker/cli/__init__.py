"""The command line: ``assayer``."""

from __future__ import annotations

import faulthandler
import sys
from contextlib import suppress
from importlib import import_module

import click

from worker.errors import MachineError, UsageError
from worker.report.markdown_escape import inert
from worker.system.init_process import run_as_init_child
from worker.system.interruption import exit_status, interrupt_no_more, interrupt_once
from worker.system.programs import remove_current_folder
from worker.system.python_parser import parse_newer_pythons

COMMANDS = {
    "check": "worker.cli.check:check",
    "report": "worker.cli.stored_reports:report_command",
    "replay": "worker.cli.stored_reports:replay",
    "annotate": "worker.cli.annotate:annotate",
    "relations": "worker.cli.relations:relations",
    "fuzz": "worker.cli.fuzz:fuzz",
    "demo": "worker.cli.demo:demo",
    "doctor": "worker.cli.doctor:doctor",
    "init": "worker.cli.init:init",
    "serve": "worker.cli.serve:serve",
    "worker": "worker.cli.serve:worker",
    "beat": "worker.cli.serve:beat",
    "migrate": "worker.cli.migrate:migrate",
}
"""Where each command is.  Their modules load what is heavy only when they run."""

EXIT_USAGE = 2
EXIT_MACHINE = 3


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="assayer", prog_name="assayer")
def cli() -> None:
    """Test the pull requests of Python projects that use machine learning.

    \b
    assayer demo                    see it work, without network or keys
    assayer check                   test what changed on this branch
    assayer check --all             test every function that uses ML
    assayer check --fix             apply the changes that were tried and help
    assayer report run.json --format html
    assayer relations show          which calls of torch should agree
    assayer fuzz model.py           look for bugs of torch with a model
    assayer doctor                  what works on this machine
    """  # noqa: D301 - click reads the escape


def _trace_crashes() -> None:
    """Let a process that a library of ours kills say where, for the report of a bug."""
    with suppress(ValueError, OSError, RuntimeError):
        faulthandler.enable()


def main() -> None:
    """Run the command line; exit with the status of CONTRACT.md, section 1."""
    status: object = 0
    run_as_init_child()
    _trace_crashes()
    interrupt_once()
    try:
        remove_current_folder()
        parse_newer_pythons()
        status = cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except UsageError as error:
        _complain(str(error), EXIT_USAGE)
    except MachineError as error:
        _complain(str(error), EXIT_MACHINE)
    except (click.Abort, KeyboardInterrupt):
        _complain("Interrupted; there are no results", exit_status())
    except OSError as error:
        _complain(f"{error.strerror or error}: {error.filename or 'no file'}", EXIT_MACHINE)
    finally:
        interrupt_no_more()
    sys.exit(status if isinstance(status, int) else 0)


def _complain(message: str, status: int) -> None:
    click.echo(f"assayer: {inert(message)}", err=True)
    sys.exit(status)
