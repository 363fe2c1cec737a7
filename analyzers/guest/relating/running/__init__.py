"""Running a library's calls in processes that may die or hang of them."""

from .child import Anew, Begin, Work
from .pool import Died, Done, Failed, Hung, Over, Pool, Result

__all__ = ["Anew", "Begin", "Died", "Done", "Failed", "Hung", "Over", "Pool", "Result", "Work"]
