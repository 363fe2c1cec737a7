"""The judges: what runs say of a branch, each its own kind of defect."""
