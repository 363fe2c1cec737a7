import socket

PAIR = socket.socketpair()
