"""Testing of one target: trees, warm guests, test executor, confirmation."""
