"""grad_check says the same as torch's gradcheck of right and wrong gradients, and where a wrong one is off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.checks.gradients import grad_check

torch = pytest.importorskip("torch")

W = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]], dtype=torch.float64)
PLACE = (torch.tensor(0), torch.tensor(1))
X = torch.tensor([[0.3, -0.2], [1.1, 0.4], [-0.6, 2.0]], dtype=torch.float64)

RIGHT: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "squares": (lambda x: (x**2).sum(), lambda x: 2 * x),
    "tanh of a matrix product": (lambda x: torch.tanh(x @ W).sum(), lambda x: (1 - torch.tanh(x @ W) ** 2) @ W.T),
    "large": (lambda x: 1e6 * (x**3).sum(), lambda x: 3e6 * x**2),
    "small": (lambda x: 1e-6 * torch.sin(x).sum(), lambda x: 1e-6 * torch.cos(x)),
    "one entry alone": (lambda x: x[0, 1] ** 2, lambda x: torch.zeros_like(x).index_put(PLACE, 2 * x[0, 1])),
    "relu, away from its kink": (lambda x: torch.relu(x).sum(), lambda x: (x > 0).double()),
}
WRONG: dict[str, Callable[[Any], Any]] = {
    "twice": lambda gradient: 2 * gradient,
    "with another sign": lambda gradient: -gradient,
    "one entry off": lambda gradient: gradient + gradient.abs().max() * torch.eye(3, 2, dtype=torch.float64)[[2, 0, 1]],
    "a thousandth too much": lambda gradient: gradient + 1.1e-2 * gradient.abs().max(),
}


def torchs_verdict(f: Callable[[Any], Any], df: Callable[[Any], Any]) -> bool:
    class Derived(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(context: Any, x: Any) -> Any:
            context.save_for_backward(x)
            return f(x)

        @staticmethod
        def backward(context: Any, upstream: Any) -> Any:
            return upstream * df(*context.saved_tensors)

    scale = float(df(X).abs().max())
    given = X.clone().requires_grad_()
    return bool(torch.autograd.gradcheck(Derived.apply, given, atol=1e-5 * scale, raise_exception=False))


@pytest.mark.parametrize("name", RIGHT)
def test_right_gradients_agree_as_torch_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    f, df = RIGHT[name]
    assert torchs_verdict(f, df)
    assert grad_check(f, df, X)
    assert capsys.readouterr().out == "grad_check: df(x) agrees with the slopes of f in all entries\n"


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("how", WRONG)
def test_wrong_gradients_are_off_as_torch_says(name: str, how: str) -> None:
    f, df = RIGHT[name]

    def wrong(x: Any) -> Any:
        return WRONG[how](df(x))

    assert not torchs_verdict(f, wrong)
    assert not grad_check(f, wrong, X)


def test_it_says_which_entry_is_off_and_by_how_much(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.array([[1.0, -2.0], [3.0, 0.5]])
    assert not grad_check(lambda v: np.sum(v**2), lambda v: 2 * v + np.array([[0, 0], [0.25, 0]]), x)
    said = capsys.readouterr().out
    assert "1 of 4 entries differs; the first at [1, 0] (yours is 6.25)" in said
    assert "off by about 0.2" in said or "off by about 0.3" in said
    assert "at [1, 0] df says 6.25, the slope of f is 6" in said


def test_a_pattern_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    grad_check(lambda v: np.sum(v**2), lambda v: -2 * v, np.array([1.0, -2.3, 3.1, 0.4, 5.7]))
    assert "all sizes are right, but not all signs" in capsys.readouterr().out


def test_a_kink_is_named_and_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.array([0.0, 2.0, -1.0])
    assert grad_check(lambda v: np.maximum(v, 0).sum(), lambda v: (v > 0).astype(float), x)
    assert capsys.readouterr().out.endswith("; f has a kink at [0], so nothing is said there\n")


def test_another_shape_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert not grad_check(lambda v: np.sum(v), lambda v: np.ones(3), np.ones((3, 2)))
    assert "its shape should be (3, 2), yours is (3,)" in capsys.readouterr().out


def test_x_is_left_alone_whatever_f_does() -> None:
    x = np.array([1.0, 2.0])

    def f(v: Any) -> Any:
        v *= 2
        return np.sum(v)

    assert grad_check(f, lambda v: np.full(2, 2.0), x)
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("x", [np.ones(2, dtype=np.float32), torch.ones(2), [1.0, 2.0]])
def test_what_has_too_few_digits_is_refused(x: Any) -> None:
    with pytest.raises(ValueError, match="needs an x of float64"):
        grad_check(lambda v: v.sum(), lambda v: v, x)


def test_f_must_return_one_number() -> None:
    with pytest.raises(ValueError, match=r"f should return one number, yours returns a NumPy array of shape \(2,\)"):
        grad_check(lambda v: v, lambda v: v, np.ones(2))
