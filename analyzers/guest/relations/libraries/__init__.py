"""TODO: analyzers/guest/relations/libraries."""
