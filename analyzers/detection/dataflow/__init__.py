"""TODO: analyzers/detection/dataflow."""
