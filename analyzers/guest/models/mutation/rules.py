"""The twelve rules that change a model (LEMON, section 3.1), by name."""

from __future__ import annotations

from typing import Mapping

REMOVAL, SWITCH, COPY, ADDITION, BUNDLE = "LR", "LS", "LC", "LA", "MLA"
DEACTIVATION, REACTIVATION = "AFRm", "AFRp"
FUZZING, SHUFFLING, INVERSION, BLOCKING, EXCHANGE = "GF", "WS", "NAI", "NEB", "NS"

INTACT: Mapping[str, str] = {
    REMOVAL: "layer removal",
    SWITCH: "layer switch",
    COPY: "layer copy",
    ADDITION: "layer addition",
    BUNDLE: "multi-layers addition",
    DEACTIVATION: "activation function removal",
    REACTIVATION: "activation function replacement",
}
"""Rules that take a whole layer."""

INNER: Mapping[str, str] = {
    FUZZING: "Gaussian fuzzing",
    SHUFFLING: "weights shuffling",
    INVERSION: "neuron activation inverse",
    BLOCKING: "neuron effect block",
    EXCHANGE: "neuron switch",
}
"""Rules that change neurons of a layer."""

RULES: Mapping[str, str] = {**INTACT, **INNER}
"""Every rule and what it is called."""
