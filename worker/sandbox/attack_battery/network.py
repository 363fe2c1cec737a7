"""Ways to talk to something outside."""

from __future__ import annotations

import socket

from .canary import Attacks, Canary

AF_ALG = 38
AF_VSOCK = 40


def tcp(canary: Canary) -> str:
    """Connect to the host's loopback listener."""
    with socket.create_connection(("127.0.0.1", canary.tcp), timeout=2):
        return f"connected to port {canary.tcp}"


def udp(canary: Canary) -> str:
    """Send the host's loopback listener a datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"canary", ("127.0.0.1", canary.udp))
        return f"sent to port {canary.udp}"


def abstract_socket(canary: Canary) -> str:
    """Connect to the host's listener in the abstract namespace."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect("\0" + canary.abstract)
        return "connected"


def path_socket(canary: Canary) -> str:
    """Connect to the host's listener in the file system."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(canary.unix)
        return f"connected to {canary.unix}"


def _opened(family: int, kind: int) -> str:
    with socket.socket(family, kind):
        return "opened"


def ipv6(_canary: Canary) -> str:
    """Open an IPv6 socket."""
    return _opened(socket.AF_INET6, socket.SOCK_DGRAM)


def vsock(_canary: Canary) -> str:
    """Open a socket to the hypervisor."""
    return _opened(AF_VSOCK, socket.SOCK_STREAM)


def netlink(_canary: Canary) -> str:
    """Open a socket to the kernel's network configuration."""
    return _opened(socket.AF_NETLINK, socket.SOCK_RAW)


def packet(_canary: Canary) -> str:
    """Open a raw packet socket."""
    return _opened(socket.AF_PACKET, socket.SOCK_RAW)


def crypto(_canary: Canary) -> str:
    """Open a socket to the kernel's cryptography."""
    return _opened(AF_ALG, socket.SOCK_SEQPACKET)


ATTACKS: Attacks = {
    "TCP to the host": tcp,
    "UDP to the host": udp,
    "abstract unix socket of the host": abstract_socket,
    "unix socket in the host's files": path_socket,
    "IPv6 socket": ipv6,
    "vsock socket": vsock,
    "netlink socket": netlink,
    "packet socket": packet,
    "kernel crypto socket": crypto,
}
