"""Assembled model files, run by the hundred in warm processes (MoCo)."""
