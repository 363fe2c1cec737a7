"""Files that belong to the tests of a project, by their paths."""

import re

_TEST_FILE = re.compile(r"(^|/)(tests?/|test_[^/]*$|([^/]*_test|conftest)\.py$)")


def is_test_file(path: str) -> bool:
    """Return whether a file belongs to the tests of its project."""
    return _TEST_FILE.search(path) is not None
