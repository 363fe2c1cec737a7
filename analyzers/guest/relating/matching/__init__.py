"""Candidates: which APIs may do the same (DeepREL, section 4.1)."""
