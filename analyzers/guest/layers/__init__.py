"""What the constructors of a library's layers take, found out where the library is installed.

Signatures, documentation, the layers' own checks, torch's own tests of wrong arguments,
and trying: LEMON and MoCo read the documentation by hand or ask a language model.
"""

from .surveying import survey

__all__ = ["survey"]
