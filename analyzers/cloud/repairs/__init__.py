"""Repairs: changes of the code that may remove a finding."""
