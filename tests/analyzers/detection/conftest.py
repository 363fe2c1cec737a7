"""The cases are input, not tests."""

collect_ignore_glob = ["cases/*"]
