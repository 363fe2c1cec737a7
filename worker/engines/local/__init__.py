"""Engines that answer on this machine."""
