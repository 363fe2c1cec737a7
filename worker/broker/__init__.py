"""TODO: worker/broker."""
