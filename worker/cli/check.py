"""``assayer check``: test what changed in a local checkout."""

from __future__ import annotations

from pathlib import Path

import click

from worker.cli import options


@click.command(
    epilog="Exit status: 0 fine or nothing to test, 1 failure, 2 wrong usage, 3 could not decide, "
    "130 interrupted (partial results)."
)
@click.argument("repo", default=".", type=click.Path(path_type=Path))
@click.option(
    "--base",
    metavar="REV",
    help="Compare with REV (default: merge base with the default branch; in a workflow of GitHub "
    "or GitLab what the event compares with, fetched where the clone lacks it).",
)
@click.option("--head", metavar="REV", help="Test REV (default: the working tree).")
@click.option("--all", "everything", is_flag=True, help="Treat everything as changed.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="PATH::FUNCTION",
    help="Only this function (repeatable).",
)
@click.option(
    "--only", metavar="ANALYZER[,…]", callback=options.names, help="Only these analyzers."
)
@click.option("--inputs", type=click.IntRange(1, 1000), metavar="N", help="Inputs for each goal.")
@click.option(
    "--budget", type=click.FloatRange(1), metavar="SECONDS", help="Time for the whole run."
)
@options.seed
@options.settings_file
@click.option("--offline", is_flag=True, help="Use no source or engine that needs a network.")
@click.option(
    "--other-providers",
    is_flag=True,
    help="Ask other configured providers too about inputs that miss a branch.",
)
@click.option("--fresh", is_flag=True, help="Take no results of earlier checks.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Functions to test at a time (default: as many as cores and memory allow).",
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PATH",
    help="Write a trace of the time to PATH, for a browser's trace viewer.",
)
@options.report
@click.option("--watch", is_flag=True, help="Check again whenever a file is saved.")
def check(  # noqa: PLR0913, PLR0917 - one parameter an option of the contract
    repo: Path,
    base: str | None,
    head: str | None,
    everything: bool,  # noqa: FBT001
    targets: tuple[str, ...],
    only: tuple[str, ...],
    inputs: int | None,
    budget: float | None,
    seed: int,
    settings_file: Path | None,
    offline: bool,  # noqa: FBT001
    other_providers: bool,  # noqa: FBT001
    fresh: bool,  # noqa: FBT001
    jobs: int | None,
    profile: Path | None,
    form: str | None,
    outputs: tuple[Path, ...],
    fix: bool,  # noqa: FBT001
    diff: bool,  # noqa: FBT001
    artifacts: Path | None,
    trust: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
    watch: bool,  # noqa: FBT001
) -> int:
    """Test the ML code that changed in REPO (default: here).

    Finds the changed functions that ask an ML API, makes inputs for each of
    their branches, runs them in isolation on base and on head, and reports
    what fails, with inputs and a reproducer.
    """
    from platformdirs import user_cache_path

    from worker.check.check_plan import CheckRequest
    from worker.check.result_store import FolderResults
    from worker.cli.checking import CheckCommand, watch_files
    from worker.cli.report_output import ReportOutput
    from worker.settings.operator_settings import read_settings
    from worker.system.tracing import traced_to

    request = CheckRequest(
        repository=repo,
        base=base,
        head=head,
        everything=everything,
        targets=targets,
        analyzers=only,
        inputs=inputs,
        seconds=budget,
        seed=seed,
        offline=offline,
        trust=trust,
        other_providers=other_providers,
        results=FolderResults(user_cache_path("assayer"), str(repo.resolve())),
        fresh=fresh,
        jobs=jobs,
    )
    output = ReportOutput(form, outputs, artifacts, diff=diff, fix=fix, quiet=quiet)
    with traced_to(profile):
        command = CheckCommand(request, read_settings(settings_file), output)
        return watch_files(command) if watch else command.run()
