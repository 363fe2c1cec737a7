"""The command lines that put a program into the sandbox."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from worker.sandbox.guest_limits import SHARED_MEMORY, Limits
from worker.sandbox.supervisor.supervisor import SupervisorOrders


def interpreter_folders(python: Path) -> tuple[Path, ...]:
    """Return the prefixes of ``python``: its environment, and what that rests on.

    Nothing is started: ``.pth`` files are code of the tested project.  A folder that is no
    environment is left out, so that a forged link cannot bring a home folder into the sandbox.
    """
    executable = Path(os.path.abspath(python))  # noqa: PTH100 - a link must stay a link
    spelled = [link.parent.parent for link in _links(executable)]
    if executable == Path(sys.executable):
        spelled += [Path(sys.prefix), Path(sys.base_prefix)]
    spelled += [home.parent for prefix in spelled if (home := _home(prefix))]
    folders = [form for prefix in spelled for form in (prefix, prefix.resolve())]
    return tuple(folder for folder in dict.fromkeys(folders) if _holds_python(folder))


def _holds_python(folder: Path) -> bool:
    is_environment = (folder / "pyvenv.cfg").is_file()
    return is_environment or any(folder.glob("lib*/py*3*/os.py"))


def _links(path: Path) -> Iterator[Path]:
    """Yield ``path`` and what it links to, link by link."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _home(prefix: Path) -> Path | None:
    """Return the ``home`` of a virtual environment: the folder of its base's python."""
    try:
        text = (prefix / "pyvenv.cfg").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home":
            return Path(value.strip())
    return None


PROJECT = "/project"
PACKAGES = "/assayer"
SCRATCH = "/scratch"
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
WRITABLE = ("/tmp", "/dev/shm", SCRATCH)  # noqa: S108 - the sandbox's own
OWN_ETC = Path(__file__).parent / "etc"
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_ETC = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"),
    *("/etc/fonts", "/etc/localtime", "/etc/mime.types", "/etc/ssl/certs"),
)

DYING = ("--no-new-privs", "--pdeathsig", "KILL", "--")
GUARD = '[ "$PPID" = "$1" ] || exit 1; shift; exec "$@"'
JOIN = """
while [ "$1" != -- ]; do
    echo 0 > "$1/cgroup.procs" || exit 1
    shift
done
shift
exec "$@"
"""
STAGING = """
set -e
stage=$1; shift
mount -t tmpfs -o mode=0755,size=1m,nosuid,nodev stage "$stage"
number=0
while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir "$stage/$number"; else : > "$stage/$number"; fi
    mount --bind "$1" "$stage/$number"
    number=$((number + 1)); shift
done
shift
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class BindMount:
    """A host path to be seen, read-only, at ``target`` in the sandbox."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class SandboxedProgram:
    """A program in the sandbox, with the files and devices that it sees beside the system."""

    binds: tuple[BindMount, ...]
    command: tuple[str, ...]
    devices: tuple[Path, ...] = ()


def system_binds() -> Iterator[BindMount]:
    """Yield the system's programs and libraries, and the harmless part of /etc."""
    yield BindMount(Path("/usr"), "/usr")
    for name in SYSTEM:
        if Path(name).is_dir() and not Path(name).is_symlink():
            yield BindMount(Path(name), name)
    for name in SYSTEM_ETC:
        if Path(name).exists():
            yield BindMount(Path(name).resolve(), name)
    for file in sorted(OWN_ETC.iterdir()):
        yield BindMount(file, f"/etc/{file.name}")


def python_binds(python: Path) -> Iterator[BindMount]:
    """Yield the folders of an interpreter, outer ones first."""
    for folder in sorted(interpreter_folders(python)):
        if not folder.is_relative_to("/usr"):
            yield BindMount(folder.resolve(), str(folder))


def readable_by_others(path: Path) -> bool:
    """Say whether the mode of ``path`` itself lets everyone read it."""
    wanted = 0o005 if path.is_dir() else 0o004
    return path.stat().st_mode & wanted == wanted


def reachable_by_others(path: Path) -> bool:
    """Say whether everyone can pass through the folders above ``path`` that are there."""
    above = [folder for folder in path.resolve().parents if folder.exists()]
    return all(folder.stat().st_mode & 0o001 for folder in above)


def private_folder(python: Path) -> Path | None:
    """Return a folder of an interpreter that not everyone can read, if there is one."""
    folders = interpreter_folders(python)
    return next(
        (each for each in folders if not (reachable_by_others(each) and readable_by_others(each))),
        None,
    )


def mount_points(targets: Iterable[str]) -> tuple[str, ...]:
    """Return the entries of folders that guests write to below which something is mounted.

    Each is a read-only mount itself, so that no guest can change, move or remove it.
    """
    found: dict[str, None] = {}
    for target in map(Path, targets):
        for folder in map(Path, WRITABLE):
            if target != folder and target.is_relative_to(folder):
                found[str(folder / target.relative_to(folder).parts[0])] = None
    return tuple(found)


def bubblewrap(
    inside: SandboxedProgram, limits: Limits, *, seccomp: int, info: int
) -> Iterator[str]:
    """Yield bwrap's arguments in order; ``seccomp`` and ``info`` are descriptors."""
    yield from ("bwrap", "--unshare-all", "--unshare-user", "--disable-userns")
    yield from ("--uid", "1000", "--gid", "1000", "--hostname", "sandbox")
    yield from ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
    for writable in ("/tmp", SCRATCH):  # noqa: S108 - the sandbox's own
        yield from ("--size", str(limits.scratch), "--perms", "1777")
        yield from ("--tmpfs", writable)
    targets = [bind.target for bind in inside.binds]
    inner = [point for point in mount_points(targets) if point not in targets]
    for point in inner:
        yield from ("--size", str(SHARED_MEMORY), "--perms", "0755", "--tmpfs", point)
    for bind in inside.binds:
        yield from ("--ro-bind", str(bind.source), bind.target)
    for point in inner:
        yield from ("--remount-ro", point)
    for name in SYSTEM:
        if Path(name).is_symlink():
            yield from ("--symlink", str(Path(name).readlink()), name)
    yield from ("--proc", "/proc", "--dev", "/dev")
    for device in inside.devices:
        yield from ("--dev-bind", str(device), f"/dev/{device.name}")
    yield from ("--size", str(SHARED_MEMORY), "--tmpfs", "/dev/shm")  # noqa: S108
    yield from ("--dir", f"{SCRATCH}/home", "--chdir", SCRATCH)
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")
    for name, value in environment(f"{SCRATCH}/home").items():
        yield from ("--setenv", name, value)
    yield from ("--seccomp", str(seccomp), "--info-fd", str(info), "--")
    yield from ("prlimit", f"--nproc={limits.processes}", "--", *inside.command)


def environment(home: str) -> dict[str, str]:
    """Return the whole environment of a guest."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
    }


def rlimit_prefix(limits: Limits) -> Iterator[str]:
    """Yield the prefix that bounds each process."""
    yield "prlimit"
    yield from ("--core=0", "--memlock=0", "--msgqueue=0", f"--as={limits.address_space}")
    yield from (f"--fsize={limits.file_size}", f"--nofile={limits.open_files}")
    yield from (f"--cpu={limits.cpu_seconds}", "--")


def orphan_guard() -> Iterator[str]:
    """Yield the prefix that gives up if we died before the bond to us was made."""
    yield from ("/bin/sh", "-c", GUARD, "guard", str(os.getpid()))


def cgroup_prefix(groups: Sequence[Path]) -> Iterator[str]:
    """Yield the prefix that enters control groups."""
    if groups:
        yield from ("/bin/sh", "-c", JOIN, "joining", *map(str, groups), "--")


def drop_root_prefix(uid: int) -> Iterator[str]:
    """Yield the prefix that gives up root for good."""
    yield from ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    yield from ("--inh-caps=-all", "--bounding-set=-all", *DYING)


def staging_prefix(stage: Path, staged: Sequence[Path]) -> Iterator[str]:
    """Yield the prefix that makes ``staged`` reachable, in private mounts."""
    yield from ("unshare", "--mount", "--propagation", "private", "--")
    yield from ("/bin/sh", "-c", STAGING, "staging", str(stage))
    yield from (*map(str, staged), "--")


def sandbox_command(
    inside: SandboxedProgram,
    limits: Limits,
    *,
    seccomp: int,
    info: int,
    uid: int | None,
    stage: Path,
) -> list[str]:
    """Return the command line that runs ``inside``; root drops to ``uid``, ``stage`` is empty."""
    prefix = [*orphan_guard(), *rlimit_prefix(limits)]
    if uid is None:
        prefix = ["setpriv", *DYING, *prefix]
        return [*prefix, *bubblewrap(inside, limits, seccomp=seccomp, info=info)]
    sources = dict.fromkeys(bind.source for bind in inside.binds)
    staged = [source for source in sources if not reachable_by_others(source)]
    moved = replace(inside, binds=tuple(_moved(inside.binds, staged, stage)))
    return [
        *staging_prefix(stage, staged),
        *drop_root_prefix(uid),
        *prefix,
        *bubblewrap(moved, limits, seccomp=seccomp, info=info),
    ]


def _moved(binds: Sequence[BindMount], staged: Sequence[Path], stage: Path) -> Iterator[BindMount]:
    for bind in binds:
        if bind.source in staged:
            yield BindMount(stage / str(staged.index(bind.source)), bind.target)
        else:
            yield bind


def open_to_others(tree: Path) -> None:
    """Let everyone read ``tree``, which is a copy of ours, links not followed."""
    for folder, _, files in os.walk(tree):
        Path(folder).chmod(0o755)
        for name in files:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o444)


PACKAGES_ROOT = Path(__file__).resolve().parents[2]
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version")


def supervisor_command(orders: SupervisorOrders) -> list[str]:
    """Return a supervisor's command line, on the standard library and its own modules alone."""
    source = (
        f"import sys; sys.path.append({str(PACKAGES_ROOT)!r}); "
        "from worker.sandbox.supervisor.supervisor import main; main()"
    )
    return [sys.executable, "-I", "-S", "-B", "-c", source, json.dumps(orders)]


def rlimits(limits: Limits, *, processes: int | None) -> dict[str, int]:
    """Return what bounds each process; ``processes`` counts those of its uid."""
    bounds = {
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_AS": limits.address_space,
        "RLIMIT_FSIZE": limits.file_size,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CPU": limits.cpu_seconds,
    }
    return bounds if processes is None else {**bounds, "RLIMIT_NPROC": processes}


def processes_of(uid: int) -> int:
    """Return how many processes and threads a user has."""
    count = 0
    for process in os.scandir("/proc"):
        if process.name.isdigit():
            try:
                if process.stat().st_uid == uid:
                    count += sum(1 for _ in os.scandir(f"/proc/{process.name}/task"))
            except OSError:  # it has ended meanwhile
                continue
    return count


def gpu_devices(folder: Path = Path("/dev")) -> tuple[Path, ...]:
    """Return the device files of NVIDIA's GPUs and of their driver."""
    found = sorted(folder.glob("nvidia*"))
    return tuple(device for device in found if device.is_char_device())


def grants(
    python: Path, *, readable: tuple[Path, ...], writable: Path, devices: tuple[Path, ...] = ()
) -> dict[str, list[str]]:
    """Return what a guest may reach: the system, its interpreter, its own folders."""
    return {
        "run": [*_programs(python), *(str(path.resolve()) for path in readable)],
        "read": [*_existing(SYSTEM_ETC), *_existing(FACTS)],
        "device": list(_existing(DEVICES)),
        "driver": list(_existing(tuple(map(str, devices)))),
        "write": [str(writable)],
    }


def _programs(python: Path) -> Iterator[str]:
    yield "/usr"
    yield from (name for name in SYSTEM if Path(name).is_dir() and not Path(name).is_symlink())
    for folder in interpreter_folders(python):
        yield str(folder.resolve())


def _existing(paths: tuple[str, ...]) -> Iterator[str]:
    return (str(Path(path).resolve()) for path in paths if Path(path).exists())
