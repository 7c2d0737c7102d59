"""Modules compared under the same weights, and losses that must fall: what is told of those that differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from autograder.checks.compare import Mismatch
from autograder.checks.learning import assert_falls, assert_same_module
from autograder.checks.own_notebook import OwnNotebook


class Gain(nn.Module):
    """Multiplies by a gain, and counts its calls in training."""

    def __init__(self, channels: int = 3) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.randn(channels))
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += float(self.training)
        return self.gain * x


class Offset(Gain):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) + 1


class Detached(Gain):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x.detach())


class Uncounted(Gain):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.gain * x


class Renamed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))


class Untensored(Gain):
    def state_dict(self, *_: Any, **__: Any) -> Any:
        return {"gain": 3, "calls": torch.zeros(())}


def told(module: nn.Module) -> str:
    with pytest.raises(Mismatch) as caught:
        assert_same_module(OwnNotebook(), module, Gain(), torch.ones(2, 3))
    return str(caught.value)


def test_a_module_that_does_the_same_with_the_same_weights_passes_in_both_modes() -> None:
    expected = Gain()
    for mode in (True, False):
        mine = Gain()
        assert_same_module(OwnNotebook(), mine, expected.train(mode), torch.ones(2, 3), upstream=torch.randn(2, 3))
        assert mine.training is mode


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Offset, "what the module returns: 6 of 6 entries differ"),
        (Detached, "no gradient reaches input 1"),
        (Uncounted, "the buffer `calls` afterwards: it differs"),
        (Renamed, "the module has no parameter or buffer named `gain`; yours are `scale`"),
        (lambda: Gain(4), "`gain` should have shape (3,), yours has shape (4,)"),
        (Untensored, "`gain` should have shape (3,), yours is no tensor"),
    ],
)
def test_what_differs_of_a_module_is_told(make: Callable[[], nn.Module], said: str) -> None:
    assert told(make()).startswith(said)


def test_losses_that_fall_far_enough_pass_whatever_single_steps_do() -> None:
    losses = [float(loss) for loss in np.geomspace(1.0, 0.01, 40)]
    losses[20] = 50.0
    assert_falls(losses, to=0.02)
    assert_falls(np.array(losses), to=0.02)
    assert_falls([torch.tensor(loss, requires_grad=True) for loss in losses], to=0.02)
    with pytest.raises(Mismatch, match=r"^the loss should fall to 0\.001 times its beginning or below"):
        assert_falls(losses, to=0.001)


@pytest.mark.parametrize("losses", [None, "falls", [], [1.0], [[1.0], [0.1]], [1.0, None], [1.0, [0.1, 0.2]]])
def test_what_is_no_sequence_of_losses_is_told(losses: object) -> None:
    with pytest.raises(Mismatch, match="a sequence of numbers, one for each step"):
        assert_falls(losses, to=0.5)


def test_losses_that_are_not_finite_do_not_fall() -> None:
    with pytest.raises(Mismatch, match="some of it is not finite"):
        assert_falls([1.0, float("nan"), 0.1], to=0.5)
