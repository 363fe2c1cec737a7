"""Where one target is tested: trees, warm guests, the bench, confirmation."""
