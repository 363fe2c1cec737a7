"""The guest's network: one proxy for the ML APIs that are described, and nothing else.

In a sandbox with a network namespace of its own, a server on loopback stands
in for the described ML APIs (``proxy``); the names of their hosts lead there,
and every other address fails at once and is noted (``sockets``).
"""
