"""Where a scan goes."""

from .cloud import whole_text
from .texts import tidy


def drawer(path):
    if "INVOICE" in tidy(whole_text(path)):
        return "invoices"
    return "other"
