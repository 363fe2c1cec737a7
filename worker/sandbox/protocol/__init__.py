"""TODO: worker/sandbox/protocol."""
