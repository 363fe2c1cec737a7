"""Frames between guest and host: wire format, recorded API calls, arguments, input paths."""
