"""Uses of ML APIs that are almost certainly bugs (rule ``cloud/misuse``), shown by runs."""
