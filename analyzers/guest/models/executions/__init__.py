"""TODO: analyzers/guest/models/executions."""
