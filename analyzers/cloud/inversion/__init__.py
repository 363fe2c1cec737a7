"""Texts passed so that the ML API is asked about the one that was meant.

Code changes a text before it asks: it drops a command word, picks a field,
decodes, reverses.  The change is taken as a black box (Keeper, sections 4 and
5, inverts it where a solver can): the code is run on texts with everyday
answers, and what the API was asked about says which inverse fits.
"""

from analyzers.cloud.inversion.inverse_search import TextSimilarity, altered
from analyzers.cloud.inversion.inverter import InvertedInputs, Inverter
from analyzers.cloud.inversion.openings import asks_about_text, openings

__all__ = ["InvertedInputs", "Inverter", "TextSimilarity", "altered", "asks_about_text", "openings"]
