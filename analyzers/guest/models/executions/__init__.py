"""The ways to run one model: eager, float64, exporters, compilers, devices."""
