"""Defects that the text of a target shows without a run, each with the SDK's own evidence."""
