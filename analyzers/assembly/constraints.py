"""What the constructors of a library's layers take: legal values, and who says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """What the library does with a value just outside a legal range.

    ``value`` is its source.  ``refused`` is where it is refused: ``construction``,
    ``forward`` or ``backward``; empty where it is taken silently, and ``consequence`` then
    says what comes of it (``NaN``, ``negative running_var``, ``nothing to be seen``).
    """

    value: str
    refused: str = ""
    consequence: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a layer's constructor.

    ``kinds`` are ``int``, ``float``, ``bool``, ``str``, ``ints`` (a tuple of integers; ``int``
    may stand for one of equal integers), ``floats``, ``none``, ``module``, ``dtype``, ``device`` or
    ``other``.  ``low`` and ``high`` are the ends of the legal range (of a tuple: of each
    item), each within it unless ``open_low`` or ``open_high``; ``choices`` the sources of
    all legal values.  ``default`` is a source, empty where a caller has to give it.
    ``said_by`` is ``signature``, ``documentation``, ``error`` (torch's own error inputs),
    ``code`` (a check in the constructor) or ``probing``; ``quote`` the words it rests on.

    ``checked`` tells whether the library itself refuses a value outside (probed); where it
    does not, ``consequence`` is what comes of it (``NaN``, ``negative running_var``), and
    ``edges`` tell it for each value tried.  ``tied``: what the layer is called with has to
    change with it.
    """

    name: str
    kinds: tuple[str, ...]
    default: str = ""
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: tuple[str, ...] = ()
    length: int | None = None
    said_by: str = "signature"
    quote: str = ""
    checked: bool = True
    consequence: str = ""
    edges: tuple[Edge, ...] = ()
    tied: bool = False


@dataclass(frozen=True, slots=True)
class LayerApi:
    """One layer: ``name`` is its public dotted name (``torch.nn.Conv2d``).

    ``describes`` is the first sentence of its documentation.  ``requires`` are Python
    conditions over its parameters (``in_channels % groups == 0``), where these are numbers.
    ``example`` is a call that works, ``inputs`` the sources of what it is called with then
    (``torch.rand((2, 3, 8, 8))``); ``keeps_shape``: the output then has the input's shape.
    ``container``: it holds other layers, or is made to be derived from.
    """

    name: str
    parameters: tuple[Parameter, ...]
    describes: str = ""
    requires: tuple[str, ...] = ()
    example: str = ""
    inputs: tuple[str, ...] = ()
    keeps_shape: bool = False
    container: bool = False

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name."""
        return next((each for each in self.parameters if each.name == name), None)
