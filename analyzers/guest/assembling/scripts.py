"""How far a script is: what it does tells which stage of training it has come to."""

from __future__ import annotations

import functools
import sys
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Generator

from .states import BACKWARD, BUILD, FORWARD, STEP

Stage = Callable[[str], None]


class Seen:
    """What was seen of a script: whether each loss that it derived was finite."""

    finite = True


@contextmanager
def watched(stage: Stage) -> Generator[Seen, None, None]:
    """Tell the stage of what runs inside by the calls of torch that it makes."""
    seen = Seen()
    torch = sys.modules.get("torch")
    if torch is None:
        yield seen
        return

    def derived(loss: Any, *_: Any, **__: Any) -> None:
        if loss.is_floating_point() and not bool(torch.isfinite(loss).all()):
            seen.finite = False
        stage(BACKWARD)

    from torch.optim.optimizer import register_optimizer_step_pre_hook

    def stepping(*_: Any) -> None:
        stage(STEP)

    module = torch.nn.Module
    with ExitStack() as stack:
        stack.enter_context(_before(module, "__init__", lambda *_, **__: stage(BUILD)))
        stack.enter_context(_before(module, "__call__", lambda *_, **__: stage(FORWARD)))
        stack.enter_context(_before(torch.Tensor, "backward", derived))
        stack.callback(register_optimizer_step_pre_hook(stepping).remove)
        yield seen


@contextmanager
def _before(owner: Any, name: str, act: Callable[..., None]) -> Generator[None, None, None]:
    plain = getattr(owner, name)

    @functools.wraps(plain)
    def acting(*given: Any, **more: Any) -> Any:
        act(*given, **more)
        return plain(*given, **more)

    setattr(owner, name, acting)
    try:
        yield
    finally:
        setattr(owner, name, plain)
