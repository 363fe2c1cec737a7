"""The machine: other programs, temporary files, logs, interruption."""
