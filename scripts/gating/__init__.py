"""Parts of the gate."""
