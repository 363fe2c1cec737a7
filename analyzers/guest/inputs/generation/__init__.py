"""Valid inputs, built from what annotations say: strategies draw recipes of values."""
