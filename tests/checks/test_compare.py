"""The comparisons: what they accept, what they refuse, and what their messages say and keep."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from autograder.checks.compare import (
    Mismatch,
    assert_close,
    assert_exact,
    assert_printed,
    assert_text,
    assert_unchanged,
    distance,
    expect_bool,
    expect_object,
    expect_tuple,
    require,
)
from autograder.values import Handle

FLOATS = (np.float64, np.float32, np.float16)


def data(dtype: Any = np.float64, shape: tuple[int, ...] = (4, 6)) -> NDArray[Any]:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def message(actual: object, expected: object, **options: Any) -> str:
    with pytest.raises(Mismatch) as caught:
        assert_close(actual, expected, "dx", **options)
    return str(caught.value)


# --- the policy ---


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1e-100, 1e-20, 1e-6, 1.0, 1e8, 1e150]),
    shape=st.sampled_from([(1,), (7,), (3, 5), (2, 3, 4)]),
)
def test_half_the_tolerance_passes_and_three_times_it_does_not(seed: int, scale: float, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(seed)
    expected = rng.standard_normal(shape) * scale
    largest = np.abs(expected).max()
    signs = rng.choice([-1.0, 1.0], shape)
    allowed = 1e-9 * np.abs(expected) + 1e-12 * largest

    assert_close(expected + 0.5 * allowed * signs, expected)
    assert_close(expected, expected)
    with pytest.raises(Mismatch):
        assert_close(expected + 3 * allowed * signs, expected)


@pytest.mark.parametrize(("dtype", "relative"), [(np.float32, 1e-5), (np.float16, 5e-3)])
def test_less_precise_dtypes_have_wider_bars(dtype: type, relative: float) -> None:
    expected: NDArray[Any] = np.full(5, 3, dtype)

    assert_close((expected * (1 + 0.5 * relative)).astype(dtype), expected)
    with pytest.raises(Mismatch):
        assert_close((expected * (1 + 4 * relative)).astype(dtype), expected)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_an_entry_that_is_small_by_cancellation_is_compared_at_the_scale_of_the_data(
    scale: float,
) -> None:
    expected = np.array([1.0, 1e-17]) * scale

    assert_close(np.array([1.0, -3e-16]) * scale, expected)
    with pytest.raises(Mismatch):
        assert_close(np.array([1.0, 1e-11]) * scale, expected)


def test_a_vanished_gradient_is_not_the_same_as_zero() -> None:
    with pytest.raises(Mismatch):
        assert_close(np.zeros(3), np.full(3, 1e-25))
    with pytest.raises(Mismatch):
        assert_close(0.0, 1e-200)


def test_numbers_too_small_to_be_normal_may_be_rounded_to_zero() -> None:
    assert_close(0.0, 1e-310)
    assert_close(np.zeros(2, np.float32), np.full(2, 1e-40, np.float32))
    assert distance(np.zeros(2), np.zeros(2), rtol=1e-4) == 0


@pytest.mark.parametrize("dtype", FLOATS)
def test_only_a_rounding_residue_passes_for_zero(dtype: type) -> None:
    expected: NDArray[Any] = np.zeros(3, dtype)
    residue = np.array([0, 1, -1], dtype) * (np.finfo(dtype).eps / 2)

    assert_close(residue, expected)
    with pytest.raises(Mismatch):
        assert_close(residue * dtype(1000), expected)


def test_the_order_of_sums_does_not_matter_in_either_precision() -> None:
    rng = np.random.default_rng(1)
    for dtype in (np.float64, np.float32):
        x, w = data(dtype, (8, 300)), data(dtype, (300, 8))
        order = rng.permutation(300)
        assert_close(x[:, order] @ w[order], x @ w)


def test_rtol_widens_the_bar_and_never_narrows_it() -> None:
    expected = data()

    assert_close(expected * (1 + 5e-5), expected, rtol=1e-4)
    assert_close(expected * (1 + 5e-10), expected, rtol=1e-15)
    with pytest.raises(Mismatch):
        assert_close(expected * (1 + 3e-4), expected, rtol=1e-4)


def test_distance_is_one_at_the_threshold() -> None:
    expected = np.ones(3)
    allowed = 1e-9 + 1e-12

    assert distance(expected, expected) == 0
    assert distance(expected + allowed, expected) == pytest.approx(1, rel=1e-4)
    with pytest.raises(Mismatch):
        assert_close(expected + 1.01 * allowed, expected)
    assert distance(expected + 7 * allowed, expected) == pytest.approx(7, rel=1e-4)
    assert distance(expected + 7 * allowed, expected, rtol=7e-9) == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize("actual", [None, np.ones(4), np.ones(3, np.float32), np.full(3, np.nan)])
def test_distance_is_infinite_where_values_cannot_be_near(actual: object) -> None:
    assert distance(actual, np.ones(3)) == float("inf")


def test_integers_and_truth_values_are_exact() -> None:
    big = np.array([2**62, 2**62 + 1])

    assert_close(big.copy(), big)
    assert_close(np.array([True, False]), np.array([True, False]))
    with pytest.raises(Mismatch):
        assert_close(big[::-1].copy(), big)
    with pytest.raises(Mismatch):
        assert_close(np.array([True, True]), np.array([True, False]))
    with pytest.raises(Mismatch):
        assert_close(np.array([255], np.uint8), np.array([0], np.uint8))


def test_equal_infinities_match_and_others_do_not() -> None:
    expected = np.array([1.0, -np.inf])

    assert_close(expected.copy(), expected)
    assert "not finite" in message(-expected, expected)
    assert "1 of 2 entries differs" in message(np.array([1.0, -5.0]), expected)


def test_empty_arrays_match_when_their_shapes_do() -> None:
    assert_close(np.zeros((0, 3)), np.zeros((0, 3)))
    assert distance(np.zeros((0, 3)), np.zeros((0, 3))) == 0


# --- numbers ---


@pytest.mark.parametrize("actual", [2.0, 2, np.float64(2), np.array(2.0), np.int32(2)])
@pytest.mark.parametrize("expected", [2.0, np.float64(2), np.array(2.0)])
def test_all_ways_to_write_a_number_are_the_same(actual: object, expected: object) -> None:
    assert_close(actual, expected)
    assert_exact(actual, expected)


@pytest.mark.parametrize(
    "actual",
    [True, np.float32(2), np.array([2.0]), "2.0", None, 2 + 0j, 10**400, -(10**400), float("nan")],
)
def test_what_is_not_a_number_of_full_precision_is_refused(actual: object) -> None:
    with pytest.raises(Mismatch):
        assert_close(actual, 2.0)
    with pytest.raises(Mismatch):
        assert_printed(actual, "2.000000")


def test_an_integer_is_asked_for_by_an_integer() -> None:
    assert_close(3, 3)
    assert_close(np.uint8(3), 3)
    for actual in (3.0, True, 4, 10**30):
        with pytest.raises(Mismatch):
            assert_close(actual, 3)


# --- hostile values ---


class AlwaysEqual(np.ndarray[Any, Any]):
    def __eq__(self, other: object) -> Any:
        return True

    def __ne__(self, other: object) -> Any:
        return False

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise SystemExit


def trapped() -> object:
    """Return an object whose every question about itself or its class ends the program.

    Made in a function, since pytest asks such questions of all that a module holds.
    """

    class Trap(type):
        def __getattribute__(cls, name: str) -> Any:
            raise SystemExit(name)

        def __eq__(cls, other: object) -> bool:
            raise SystemExit

        def __hash__(cls) -> int:
            raise SystemExit

    class Trapped(metaclass=Trap):
        def __getattribute__(self, name: str) -> Any:
            raise SystemExit(name)

        def __eq__(self, other: object) -> bool:
            return True

    return Trapped()


class EqualFloat(float):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


class Everything:
    def __eq__(self, other: object) -> bool:
        return True

    def __float__(self) -> float:
        return 1.0

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        return data()


def hostile() -> list[object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = np.matrix(data())
    return [
        None,
        "text",
        b"bytes",
        [],
        data().tolist(),
        {1: 2},
        print,
        int,
        object(),
        Handle(3, "Cache"),
        trapped(),
        Everything(),
        EqualFloat(3.0),
        matrix,
        data().view(AlwaysEqual),
        np.ma.masked_array(data(), mask=True),
        np.full((4, 6), object()),
        np.full((4, 6), "x"),
        np.zeros((4, 6), [("a" * 200, "f8")]),
        np.full((4, 6), np.datetime64("2020")),
        np.broadcast_to(1.0, (10**6, 10**6)),
        np.full((4, 6), np.nan),
        np.full((4, 6), -np.inf),
        np.full((4, 6), 1e308),
        data() * 1j,
        np.void(b"abc"),
        np.str_("x"),
        10**5000,
        complex("nan"),
        np.finfo(np.longdouble).max,
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("expected", [data(), data(np.float32), 2.0, 7, True, np.zeros((4, 6))])
def test_whatever_a_student_returns_ends_as_a_mismatch(expected: object) -> None:
    for actual in hostile():
        for compare_values in (assert_close, assert_exact):
            with pytest.raises(Mismatch) as caught:
                compare_values(actual, expected)
            assert len(str(caught.value)) < 250
        assert distance(actual, expected) > 1


def test_hostile_values_are_mismatches_for_the_other_helpers_too() -> None:
    for actual in hostile():
        with pytest.raises(Mismatch):
            assert_printed(actual, "2.5")
        with pytest.raises(Mismatch):
            assert_text(actual, "a table")
        with pytest.raises(Mismatch):
            expect_tuple(actual, "out", "cache")
        with pytest.raises(Mismatch):
            expect_bool(actual)


def test_a_handle_is_named_for_what_it_stands_for() -> None:
    assert "an object of type Cache" in message(Handle(3, "Cache"), data())


def test_an_expected_value_that_cannot_be_compared_is_the_fault_of_the_test() -> None:
    for expected in ([1.0], "text", None, np.array(["x"]), np.array([None]), 2**64, np.longdouble(1)):
        with pytest.raises(TypeError):
            assert_close(1.0, expected)
    with pytest.raises(ValueError, match="NaN"):
        assert_close(1.0, float("nan"))


def test_the_arrays_compared_are_left_as_they_were() -> None:
    actual, expected = data() + 1e-3, data()
    before = actual.copy(), expected.copy()
    distance(actual, expected)
    message(actual, expected)
    assert np.array_equal(actual, before[0])
    assert np.array_equal(expected, before[1])


# --- exactly ---


def test_exact_means_every_bit() -> None:
    ones = np.ones((2, 3))

    assert_exact(ones.copy(), ones)
    with pytest.raises(Mismatch, match="agrees up to rounding"):
        assert_exact(ones * (1 + 2e-16), ones * (1 + 1e-15))
    with pytest.raises(Mismatch, match="dtype"):
        assert_exact(ones.astype(np.float32), ones)


def test_exact_takes_either_zero_and_no_nan() -> None:
    assert_exact(np.array([-0.0]), np.array([0.0]))
    with pytest.raises(Mismatch):
        assert_exact(np.array([np.nan]), np.array([0.0]))


# --- messages ---


def test_the_message_counts_and_places_the_differences() -> None:
    expected = np.arange(24.0).reshape(4, 6)
    actual = expected.copy()
    actual[0, 2] = 2.05312
    actual[1, 4] += 0.3141
    assert message(actual, expected) == (
        "dx: 2 of 24 entries differ; the first at [0, 2] (yours is 2.05312), the largest at [1, 4], off by about 0.3"
    )


@pytest.mark.parametrize(
    ("actual", "expected", "said"),
    [
        (data().T, data(), "its shape should be (4, 6), yours is (6, 4), its transpose"),
        (data()[0], data(), "its shape should be (4, 6), yours is (6,): the first axis is missing"),
        (data()[:3], data(), "its shape should be (4, 6), yours is (3, 6): the first axis has 3 in the place of 4"),
        (data()[None], data(), "yours is (1, 4, 6): there is an axis too many"),
        (np.ones((3, 3)), np.ones((3, 3, 3)), "yours is (3, 3): an axis is missing"),
        (np.ones((4, 2, 3)), np.ones((2, 3, 4)), "yours is (4, 2, 3): the axes stand in another order"),
        (np.ones((2, 3), np.float32), np.ones((3, 4)), "its shape should be (3, 4)"),
        (data(np.float32), data(), "its dtype should be float64, yours is float32"),
        (np.ones(3, int), np.ones(3), "its dtype should be float64, yours is int64"),
        ([1.0], np.ones(1), "it should be a NumPy array, yours is an object of type list"),
        (None, np.ones(1), "it should be a NumPy array, yours is None; is a `return` missing?"),
        (3.0, np.ones(1), "it should be a NumPy array, yours is a number (float64)"),
        (np.ones(2), 1.0, "it should be a single number, yours is a NumPy array of shape (2,)"),
        (np.array([1, np.nan]), np.ones(2), "1 of 2 entries is not finite; the first at [1]"),
        (float("inf"), 1.0, "it is not finite (yours is inf)"),
        (1.25, 1.0, "it differs (yours is 1.25), off by about 0.2"),
        (np.zeros(3), np.ones(3), "yours is zero everywhere"),
        (data() / 2, data(), "every entry is off by the same factor"),
        (-data(), data(), "all sizes are right, but not all signs"),
        (data(shape=(3, 3)).T, data(shape=(3, 3)), "transposed, it would agree"),
        (data(np.float32).astype(float), data(), "all entries of yours are float32 numbers: a step keeps"),
        (
            data() * (1 + 1e-7 * np.sin(data())),
            data(),
            "its first 7 digits agree: a small term is off, or a step loses",
        ),
    ],
)
def test_the_first_thing_that_is_wrong_is_said(actual: object, expected: object, said: str) -> None:
    assert said in message(actual, expected)


def test_no_remark_where_none_fits() -> None:
    assert message(data() + 0.1 * np.sin(data()), data()).endswith("off by about 0.1")


@pytest.mark.parametrize(
    ("actual", "expected"),
    [(6e-10 * data(), np.zeros((4, 6))), (1e-9, 1.6e-9), (data() + 1e-7 * np.exp(data()), data())],
)
def test_a_difference_that_looks_like_rounding_and_is_none_is_said_to_be_none(actual: Any, expected: Any) -> None:
    said = message(actual, expected)
    assert ("rounding alone makes far smaller differences" in said) is (np.ndim(expected) == 0 or not expected.any())
    assert "float32" not in said


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e307])
def test_numbers_of_any_size_are_told_without_a_warning(scale: float) -> None:
    expected = np.array([[0.5, 0.3, -0.7], [0.2, -1.1, 0.9], [0.4, 0.6, -0.8]]) * scale
    with_infinity = np.where(expected == expected[0, 0], np.inf, expected)
    for actual in (-expected, expected / 3, expected.T, expected + scale / 2, np.cos(expected / scale) * scale):
        message(np.where(np.isinf(with_infinity), np.inf, actual), with_infinity)
        message(actual, expected, inputs={"x": actual + expected / 2})


def test_what_is_zero_but_for_a_sum_of_random_numbers_has_lost_no_digits() -> None:
    assert "digits" not in message(1e-8 * data(), np.zeros((4, 6)))


def test_axes_are_named_by_the_letters_of_the_test() -> None:
    x = data(shape=(2, 3, 4))
    assert message(x[:, 0], x, axes="BTC") == (
        "dx: its shape should be (B, T, C) = (2, 3, 4), yours is (2, 4): the axis T is missing"
    )
    assert "the axis C has 3 in the place of 4" in message(x[..., :3], x, axes="BTC")
    assert "the first at [B=0, T=0, C=0] (yours is" in message(x + 1, x, axes="BTC")
    wrong = x.copy()
    wrong[:, 1] += np.exp(x[:, 1])
    assert message(wrong, x, axes="BTC").endswith("all of them have the index 1 along the axis T")
    with pytest.raises(ValueError, match="2 letters for 3 axes"):
        assert_close(x, x, axes="BC")


def test_what_an_input_explains_is_said() -> None:
    x, branch = data(), np.sin(5 * data())
    assert message(branch, x + branch, inputs={"x": x}).endswith("the difference is x itself, entry by entry")
    for other in ({}, {"branch": branch}):
        assert message(x, x + branch, inputs={"x": x, **other}).endswith("yours is x itself")
    assert "x itself" not in message(branch, x + branch)


def test_an_argument_that_was_written_into_is_said_to_be() -> None:
    assert_unchanged(data(), data(), "x")
    with pytest.raises(
        Mismatch, match=r"^x is not the same after the call: .* \(24 of 24 entries have changed\)$"
    ) as caught:
        assert_unchanged(data() + 1, data(), "x")
    assert caught.value.kind == "changed"


@pytest.mark.parametrize(
    ("actual", "kind"),
    [(None, "type"), (data()[0], "shape"), (data(np.float32), "dtype"), (data() * np.nan, "value"), (-data(), "value")],
)
def test_a_mismatch_says_of_what_kind_it_is(actual: object, kind: str) -> None:
    with pytest.raises(Mismatch) as caught:
        assert_close(actual, data())
    assert caught.value.kind == kind


@pytest.mark.parametrize("wrong", [np.zeros_like, np.negative, np.exp, np.flip, lambda x: 2 * x])
def test_no_expected_value_is_ever_printed(wrong: Any) -> None:
    expected = data()
    actual = wrong(expected)
    said = message(actual, expected) + message(actual[0, 0], expected[0, 0])
    for digits in (f"{value:.3g}".lstrip("-") for value in expected.flat):
        assert digits not in said or digits in f"{abs(actual.flat[0]):.6g}"


# --- printed values, text, small helpers ---


@pytest.mark.parametrize(
    ("printed", "inside", "outside"),
    [
        ("8.671100", (8.6711, 8.6711004, 8.6710996), (8.6711006, 8.6710994, -8.6711)),
        ("2.778871e+00", (2.7788714, 2.7788706), (2.7788716, 2.7788704)),
        ("8.262664e-07", (8.2626644e-07,), (8.2626646e-07, 0.0)),
        ("64", (64, 64.4, np.float64(63.6)), (65, 63.4)),
    ],
)
def test_a_printed_value_allows_half_a_unit_of_its_last_digit(
    printed: str, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    for actual in inside:
        assert_printed(actual, printed)
    for actual in outside:
        with pytest.raises(Mismatch) as caught:
            assert_printed(actual, printed, "the norm")
        assert printed not in str(caught.value)


@pytest.mark.parametrize(
    ("actual", "said"),
    [
        ("ab\ncx\n", "line 2, column 2 (yours has 'x')"),
        ("ab\ncd", "line 2, column 3 (yours ends too early)"),
        ("ab\ncd\n\n", "line 3, column 1 (yours goes on where it should end)"),
        ("ab \ncd\n", "line 1, column 3 (yours has ' ')"),
        ("ab\r\ncd\n", r"line 1, column 3 (yours has '\r')"),
        ("", "line 1, column 1 (yours ends too early)"),
    ],
)
def test_text_says_where_it_first_differs(actual: str, said: str) -> None:
    with pytest.raises(Mismatch) as caught:
        assert_text(actual, "ab\ncd\n", "the table")
    assert str(caught.value) == f"the table: the first difference is in {said}"


def test_the_same_text_passes() -> None:
    assert_text("ab\ncd\n", "ab\ncd\n")


def test_a_tuple_or_list_of_the_right_length_becomes_a_tuple() -> None:
    assert expect_tuple([1, 2], "out", "cache") == (1, 2)
    assert expect_tuple((1,), "out") == (1,)
    with pytest.raises(Mismatch, match=r"2 values \(out, cache\), yours returns 3"):
        expect_tuple((1, 2, 3), "out", "cache")


def test_an_object_is_one_of_the_class_of_that_name_here_or_in_another_process() -> None:
    class Scalar:
        pass

    for one in (Scalar(), Handle(3, "Scalar")):
        assert expect_object(one, "Scalar", "a + b") is one
    others = [(None, "None"), (2.5, r"a number \(float64\)"), (Handle(3, "Node"), "an object of type Node")]
    for actual, yours in others:
        with pytest.raises(Mismatch, match=rf"^a \+ b: it should be an object of the class Scalar, yours is {yours}$"):
            expect_object(actual, "Scalar", "a + b")


def test_truth_values_become_python_bools() -> None:
    assert expect_bool(np.True_) is True
    assert expect_bool(False) is False
    for actual in (1, 0.0, "yes", np.array(True)):
        with pytest.raises(Mismatch):
            expect_bool(actual)


def test_require_raises_its_message() -> None:
    require(True, "not said")
    with pytest.raises(Mismatch, match=r"^the block was called twice$"):
        require(False, "the block was called twice")


# --- torch ---


def test_torch_is_never_imported() -> None:
    code = "import sys, autograder.checks.compare; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_tensors_are_compared_like_arrays() -> None:
    torch = pytest.importorskip("torch")
    expected = torch.linspace(-1, 1, 24).reshape(4, 6)

    assert_close(expected.clone().requires_grad_() * (1 + 1e-6), expected)
    assert_exact(expected.T.contiguous().T, expected)
    assert_exact(torch.nn.Parameter(expected), expected)
    assert "off by about 1; every entry is off by the same factor" in message(expected * 2, expected)
    assert "its dtype should be float32, yours is float64" in message(expected.double(), expected)
    assert "(6, 4), its transpose" in message(expected.T, expected)
    assert "yours is a NumPy array" in message(expected.numpy(), expected)
    assert "yours is a PyTorch tensor" in message(expected, expected.numpy())


def test_half_precision_tensors_have_their_own_bars() -> None:
    torch = pytest.importorskip("torch")
    for dtype, relative in ((torch.float16, 5e-3), (torch.bfloat16, 3e-2)):
        expected = torch.full((5,), 3.0, dtype=dtype)
        assert_close(expected * (1 + 0.5 * relative), expected)
        with pytest.raises(Mismatch):
            assert_close(expected * (1 + 4 * relative), expected)


@pytest.mark.filterwarnings("ignore")
def test_odd_tensors_end_as_a_mismatch() -> None:
    torch = pytest.importorskip("torch")
    expected = torch.ones(4, 6)
    for actual in (
        expected.to_sparse(),
        expected.to("meta"),
        torch.nested.nested_tensor([expected, expected]),
        torch.zeros(1).expand(10**6, 10**7),
        expected * float("nan"),
        expected.to(torch.complex64),
        *hostile(),
    ):
        with pytest.raises(Mismatch):
            assert_close(actual, expected)
    assert_close(torch.ones(2, dtype=torch.complex64).conj(), torch.ones(2, dtype=torch.complex64))
