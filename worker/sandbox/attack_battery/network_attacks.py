"""Ways to talk to something outside.

Listeners of our own on the loopback stand in for the network, for the
metadata service of a cloud (169.254.169.254) and for the queue.
"""

from __future__ import annotations

import socket

from .battery_support import Attacks, Canary

SECONDS = 2
AF_ALG = 38
AF_VSOCK = 40
RARE_FAMILIES = {
    "AX.25": 3,
    "IPX": 4,
    "AppleTalk": 5,
    "X.25": 9,
    "keys": 15,
    "RDS": 21,
    "LLC": 26,
    "CAN": 29,
    "TIPC": 30,
    "Bluetooth": 31,
    "802.15.4": 36,
    "NFC": 39,
    "KCM": 41,
    "QRTR": 42,
    "SMC": 43,
    "XDP": 44,
    "MCTP": 45,
}
KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)


def tcp(canary: Canary) -> str:
    """Connect to the host's loopback listener."""
    with socket.create_connection(("127.0.0.1", canary.tcp), timeout=SECONDS):
        return f"connected to port {canary.tcp}"


def tcp6(canary: Canary) -> str:
    """Connect to the host's IPv6 loopback listener; without one open a socket."""
    with socket.socket(socket.AF_INET6) as sock:
        if not canary.tcp6:
            return "opened"
        sock.settimeout(SECONDS)
        sock.connect(("::1", canary.tcp6))
        return f"connected to port {canary.tcp6}"


def udp(canary: Canary) -> str:
    """Send the host's loopback listener a datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("127.0.0.1", canary.udp))
        sock.send(b"canary")
        return f"sent to port {canary.udp}"


def metadata(canary: Canary) -> str:
    """Ask the stand-in of the metadata service for credentials."""
    question = b"GET /latest/meta-data/iam/security-credentials/ HTTP/1.0\r\n\r\n"
    return _asked(canary.metadata, question)


def redis(canary: Canary) -> str:
    """Read the stand-in of the queue."""
    return _asked(canary.redis, b"*1\r\n$4\r\nPING\r\n")


def _asked(port: int, question: bytes) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as sock:
        sock.sendall(question)
        return sock.recv(400).decode("ascii", "replace")


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


def datagram_socket(canary: Canary) -> str:
    """Send the host's listener in the file system a datagram, as to a logger."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"canary", canary.datagram)
        return f"sent to {canary.datagram}"


def _opened(family: int, kind: int, protocol: int = 0) -> str:
    with socket.socket(family, kind, protocol):
        return "opened"


def raw(_canary: Canary) -> str:
    """Open a raw IP socket."""
    return _opened(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


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


def rare(_canary: Canary) -> str:
    """Open a socket of a family that hardly anybody needs or has looked at."""
    return ", ".join(name for name, family in RARE_FAMILIES.items() if _opens(family))


def _opens(family: int) -> bool:
    for kind in KINDS:
        try:
            _opened(family, kind)
        except OSError:
            continue
        return True
    return False


ATTACKS: Attacks = {
    "TCP to the host": tcp,
    "TCP to the host over IPv6": tcp6,
    "UDP to the host": udp,
    "metadata service": metadata,
    "Redis": redis,
    "abstract unix socket of the host": abstract_socket,
    "unix socket in the host's files": path_socket,
    "unix datagrams into the host's files": datagram_socket,
    "raw IP socket": raw,
    "vsock socket": vsock,
    "netlink socket": netlink,
    "packet socket": packet,
    "kernel crypto socket": crypto,
    "sockets of rarer families": rare,
}
