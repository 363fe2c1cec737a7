"""TODO: analyzers/guest/instrumentation."""
