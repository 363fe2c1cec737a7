"""Uses of ML APIs that cannot be meant (rule ``cloud/misuse``), shown by runs."""
