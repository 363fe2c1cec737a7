"""The campaign over one model file: what the library does wrong with what is made of it (MoCo)."""

from analyzers.assembly.campaign.campaign import Campaign

__all__ = ["Campaign"]
