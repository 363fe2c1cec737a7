"""The layer at which an execution departs: units of a run, and programs of one layer."""
