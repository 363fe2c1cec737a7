"""System calls that guests may not make, by the reason."""

from __future__ import annotations

REFUSED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp"),
    *("pidfd_getfd", "bpf", "perf_event_open", "userfaultfd"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("keyctl", "add_key", "request_key", "lookup_dcookie", "quotactl", "acct"),
    *("mount", "umount2", "pivot_root", "chroot", "mount_setattr", "move_mount"),
    *("open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "unshare", "setns"),
    *("mknod", "mknodat", "open_by_handle_at", "name_to_handle_at", "fanotify_init"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
    *("reboot", "swapon", "swapoff", "sethostname", "setdomainname", "syslog"),
    *("iopl", "ioperm", "modify_ldt", "vhangup", "settimeofday", "clock_settime"),
    *("adjtimex", "clock_adjtime", "personality", "seccomp"),
)
ABSENT = (
    *("clone3", "memfd_create", "memfd_secret"),
    *("shmget", "msgget", "semget", "mq_open"),
)
NEW_NAMESPACES = (
    0x00000080,  # CLONE_NEWTIME
    0x00020000,  # CLONE_NEWNS
    0x02000000,  # CLONE_NEWCGROUP
    0x04000000,  # CLONE_NEWUTS
    0x08000000,  # CLONE_NEWIPC
    0x10000000,  # CLONE_NEWUSER
    0x20000000,  # CLONE_NEWPID
    0x40000000,  # CLONE_NEWNET
)
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

STAYING = ("setsid", "setpgid")
"""Would take a process out of the group that is killed at the end."""

SHARED = (
    *("connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg"),
    *("inotify_init", "inotify_init1", "inotify_add_watch"),
    *("shmat", "shmctl", "msgsnd", "msgrcv", "msgctl", "semop", "semtimedop", "semctl"),
    *("mq_unlink", "ioprio_set", "migrate_pages", "move_pages"),
)
"""Without namespaces, these reach what is the host's and Landlock does not see."""

ON_ANY_PROCESS = (
    *("prlimit64", "sched_setaffinity", "sched_setscheduler"),
    *("sched_setparam", "sched_setattr"),
)
"""Take a pid, which without a process namespace may be a host process's; 0 is oneself."""

BONDS = (1, 36)
"""Options of prctl: what parent's death kills us (PDEATHSIG), who adopts orphans."""

CONNECTIONLESS = (0, *range(2, 16))
"""Kinds of socket that can send anywhere though they are a pair: all but streams."""
KIND = 0xF

CHANGING_OWNED = (
    *("chmod", "fchmod", "fchmodat", 452),  # fchmodat2
    *("chown", "lchown", "fchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
)
"""Change any file of the same user: Landlock does not see them."""

ATTRIBUTES = (
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    *("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr"),
    *(463, 464, 465, 466),  # setxattrat, getxattrat, listxattrat, removexattrat
    *(468, 469),  # file_getattr, file_setattr
)
"""Read or change extended attributes of any file of the same user."""
