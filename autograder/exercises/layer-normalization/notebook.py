# %% [markdown]
# # Layer normalization
#
# The plus sign saved the gradient, but it did not keep it still: in *Residual connections* a
# gradient of norm 8 entered at the top of twenty residual layers, and 25.6 came out at the bottom.
# You were told that real networks keep such growth in check with normalization. Here you build that
# normalization, derive its backward pass, put it into a residual block at the place where modern
# networks have it, and then measure what it really does. Not everything it does is what people say
# it does.
#
# You write eight short functions, in NumPy and float64. **How to work** is as before: replace each
# `raise NotImplementedError` by your code, run the cell, then run the `check(...)` below it. The
# final grade comes from further tests on other inputs.
# After a restart of the kernel, run all cells from the top again. `check()` shows how far you are.
#
# The first cell holds what you have already written in *Residual connections*: numerical
# gradients, the residual block, and the bank of weights.
#
# **What is there when it is graded.** Python's standard library, NumPy and Matplotlib, and the files
# beside this notebook; no other packages, no network, no other processes. A function must work for
# every input that its docstring allows, leave its arguments as they were, and remember nothing from
# one call to the next. The first cell ends with three small functions with which you can try such
# things; the final grade uses them, too.

# %% setup=true
import matplotlib.pyplot as plt
import numpy as np
from checks import check, needs


def numerical_gradient(f, x, eps=1e-6):
    """The gradient at x of a function f that returns a number, by central differences."""
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[index] = eps
        gradient[index] = (f(x + step) - f(x - step)) / (2 * eps)
    return gradient


def max_relative_error(a, b):
    """The largest |a - b| / (|a| + |b| + 1e-12) of all entries."""
    return float(np.max(np.abs(a - b) / (np.abs(a) + np.abs(b) + 1e-12)))


def residual_forward(x, W):
    """The residual block x + tanh(x @ W) as (out, cache)."""
    a = np.tanh(x @ W)
    return x + a, (a, W)


def residual_backward(dout, cache):
    """The gradient of the residual block with respect to x."""
    a, W = cache
    return dout + (dout * (1 - a**2)) @ W.T


def weight_bank(scale, C=16, n=20, seed=42):
    """Weights for a stack: n matrices (C, C), the same ones for the same seed."""
    np.random.seed(seed)
    return [np.random.randn(C, C) * (scale / np.sqrt(C)) for _ in range(n)]


def laid_out(x, layout):
    """The same numbers in another layout of memory.

    layout:  "columns" is transposed, "steps" is every other place, "repeated" keeps one number for all
    """
    if layout == "columns":
        return np.array(x, order="F")
    if layout == "steps":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    return np.broadcast_to(x.flat[0], x.shape)


def overwrite(x, numbers):
    """Write other numbers into the array x."""
    x[...] = numbers


def modes_after(name, *arguments):
    """Whether a call of your function of this name changes NumPy's error handling, random numbers."""
    errors, (_, keys, place, *_) = np.geterr(), np.random.get_state()
    globals()[name](*arguments)
    _, new_keys, new_place, *_ = np.random.get_state()
    return np.geterr() != errors, bool(np.any(new_keys != keys)) or new_place != place


# %% [markdown]
# ## 1. A stream without banks
#
# Think of the skip paths as one long stream that runs from the bottom of the network to the top.
# Each layer reads from it and pours something back in. Nothing ever takes anything out, so the
# stream swells. Watch what the layers are given, with the same input and the same weights as last
# time, but with five times as many of them. *Guess first:* by how much has the stream grown at the
# hundredth layer?

# %%
x = np.random.RandomState(0).randn(4, 16)
for layer, W in enumerate(weight_bank(0.5, n=100), start=1):
    if layer in (1, 5, 10, 20, 50, 100):
        size, slope = np.sqrt(np.mean(x**2)), np.mean(1 - np.tanh(x @ W) ** 2)
        print(f"layer {layer:3} reads rows of size {size:.2f}, its tanh has the average slope {slope:.2f}")
    x, _ = residual_forward(x, W)

# %% [markdown]
# The size of a row is the root of its mean square. The hundredth layer is given numbers almost nine
# times as large as the first one, and its tanh has gone flat. It has learned nothing yet and can
# hardly be taught, because its gradient is multiplied by that slope. How a layer fares depends on
# how many others happen to lie below it.
#
# The remedy is to let each layer read the stream through a glass that always shows the same size.

# %% [markdown]
# ## 2. One ruler for every row
#
# **Layer normalization** (J. L. Ba, J. R. Kiros and G. E. Hinton, *Layer Normalization*, 2016,
# [arXiv:1607.06450](https://arxiv.org/abs/1607.06450)) measures each row of activations with the
# row's own ruler. For a row $x$ with $C$ channels,
#
# $$\mu = \frac{1}{C} \sum_{i} x_i, \qquad
# \sigma^2 = \frac{1}{C} \sum_{i} (x_i - \mu)^2, \qquad
# s = \sqrt{\sigma^2 + \varepsilon},$$
#
# $$\hat{x}_i = \frac{x_i - \mu}{s}, \qquad
# \text{out}_i = g_i \, \hat{x}_i + b_i .$$
#
# Four details, each of which has cost somebody an afternoon:
#
# - A **row** is everything along the *last* axis, the channels of one position in one sequence.
#   For `(B, T, C)` there are $B \cdot T$ rows, and each has its own $\mu$ and $s$. No row knows of
#   any other. (Batch normalization works along the other axis, so there the examples of a batch
#   do depend on each other.)
# - The variance divides by $C$, not by $C - 1$. We do not estimate anything from a sample here;
#   we describe the row that we have.
# - $\varepsilon$ is added to the variance, *inside* the root. It is not in the paper's formulas. It
#   is there for rows that are constant, or nearly so, where $\sigma$ is no fit number to divide by.
# - The **gain** $g$ and the **bias** $b$ have one entry per channel, are shared by all rows and are
#   learned. They come *after* the normalization and can undo it, if that is what the network
#   wants.
#
# *By hand:* the row $(1, 1, 4)$ has $\mu = 2$, the deviations $(-1, -1, 2)$ and
# $\sigma^2 = (1 + 1 + 4) / 3 = 2$. Without $\varepsilon$, $s = 1.414$ and
# $\hat{x} = (-0.707, -0.707, 1.414)$; with the gain $(1, 1, 2)$ and the bias $(0, 0, 1)$ the output is
# $(-0.707, -0.707, 3.828)$.


# %% task="normalize"
def layernorm_forward(x, gain, bias, eps=1e-5):
    """Layer normalization over the last axis (Ba, Kiros, Hinton 2016, arXiv:1607.06450).

    x:       (..., C), for example (B, T, C), (B, C) or (C,)
    gain:    (C,)
    bias:    (C,)
    eps:     is added to the variance, inside the square root
    returns  (out, cache): out has x's shape, cache is whatever layernorm_backward needs

    The arguments must be the same after the call.
    """
    ### BEGIN SOLUTION
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    s = np.sqrt(variance + eps)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
    ### END SOLUTION


# %% grade="normalize"
check("normalize")

# %% [markdown]
# What does a row lose when it is normalized? Below are four rows, all made from the first one:
# lifted by a constant, multiplied by ten, turned upside down. Which of them do you expect to look
# like the first one afterwards?

# %%
with needs("layernorm_forward"):
    row = np.array([1.0, 4.0, 2.0, -3.0])
    rows = np.array([row, row + 100, 10 * row, -row])
    with np.printoptions(precision=6, suppress=True):
        print(layernorm_forward(rows, np.ones(4), np.zeros(4))[0])

# %% [markdown]
# Lifting a row leaves no trace at all, and neither does multiplying it by a positive number (up to
# the small $\varepsilon$, which is why the third row differs in the sixth digit). Height and
# loudness are gone; the *pattern* is what comes through. These two losses have a price that is
# paid on the way back, and soon you will see it with your own eyes.

# %% [markdown]
# ## 3. The derivative of one row
#
# Going back is harder than it looks, and many a hand-written layer normalization has it wrong.
# The reason: an entry $x_i$ acts on *all* outputs of its row. It acts on its own output directly,
# and on every output through $\mu$ and through $s$, since both of them contain $x_i$.
#
# So take one row and collect the whole truth in its Jacobian,
# $J_{ji} = \partial\, \text{out}_j / \partial x_i$. The two statistics first. The mean is easy,
#
# $$\frac{\partial \mu}{\partial x_i} = \frac{1}{C} .$$
#
# For $s$, differentiate both sides of $s^2 = \frac{1}{C} \sum_j (x_j - \mu)^2 + \varepsilon$. What
# comes from the $\mu$ in the bracket vanishes, because $\sum_j (x_j - \mu) = 0$, and there remains
# $2 s \, \partial s / \partial x_i = \frac{2}{C} (x_i - \mu)$, that is
#
# $$\frac{\partial s}{\partial x_i} = \frac{\hat{x}_i}{C} .$$
#
# Now use the quotient rule on $\hat{x}_j = (x_j - \mu) / s$. You will find three terms: one that
# would be the whole answer if $\mu$ and $s$ were constants, and one for each of them because they
# are not. Do it on paper; it takes five lines, and every line is worth it.
#
# *By hand,* something to try your terms on: for a row of two entries, $\hat{x}$ is $(-1, 1)$ or
# $(1, -1)$, whatever the two are (without $\varepsilon$, and unless they are equal). So the Jacobian of
# such a row is zero, and the term that takes $\mu$ and $s$ for constants, $1 / s$ on the diagonal for
# gain one, must be taken away by the other two, entry by entry.


# %% task="jacobian"
def layernorm_jacobian(x, gain, eps=1e-5):
    """The Jacobian of layer normalization for a single row.

    x:       (C,)
    gain:    (C,)
    eps:     as in layernorm_forward
    returns  (C, C): row j, column i holds the derivative of out[j] with respect to x[i]

    x and gain must be the same after the call.
    """
    ### BEGIN SOLUTION
    C = len(x)
    centered = x - x.mean()
    s = np.sqrt((centered**2).mean() + eps)
    normalized = centered / s
    dnormalized = (np.eye(C) - 1 / C - np.outer(normalized, normalized) / C) / s
    return gain[:, None] * dnormalized
    ### END SOLUTION


# %% grade="jacobian"
check("jacobian")

# %% [markdown]
# A Jacobian answers questions. *What happens to the output if the row moves a little in this
# direction?* Multiply and see. The first direction lifts the row, the second makes it louder, the
# third is just some direction:

# %%
with needs("layernorm_jacobian"):
    rng = np.random.default_rng(0)
    row, gain = rng.standard_normal(6), rng.standard_normal(6)
    J = layernorm_jacobian(row, gain)
    directions = {"lift": np.ones(6), "louder": row - row.mean(), "random": rng.standard_normal(6)}
    for name, direction in directions.items():
        print(f"{name:>7}: the output moves by {np.linalg.norm(J @ direction):.1e}")

# %% [markdown]
# The two invariances are two blind directions of $J$: exactly one for lifting, and one that is blind
# up to $\varepsilon$ for loudness. A matrix that is blind in two directions swallows part of every
# gradient that passes through it.

# %% [markdown]
# ## 4. The way back
#
# The gradient of one row is $dx_i = \sum_j d\text{out}_j \, J_{ji}$. But nobody builds a $C \times C$
# matrix for every row: for `(32, 1024, 768)` that would be $1.9 \cdot 10^{10}$ entries. Write the
# sum out with your three terms instead. With $d\hat{x} = d\text{out} \odot g$, each of the
# two corrections becomes one *average* over the row, multiplied by something you have already
# computed in the forward pass. No matrix is left.
#
# Gain and bias are simpler, but they have a trap of their own. Each of them serves all rows, so
# by the chain rule each hears from all rows:
#
# $$dg_i = \sum_{\text{rows}} d\text{out}_i \, \hat{x}_i, \qquad
# db_i = \sum_{\text{rows}} d\text{out}_i ,$$
#
# where "rows" means *all* axes but the last, be there none, one, two or more of them. The gradients
# of `gain` and `bias` always have the shape `(C,)`.
#
# *By hand:* two rows with $\hat{x} = (-1, 1)$ and $(1, -1)$ receive `dout` $= (1, 2)$ and $(3, 4)$. Then
# $db = (1 + 3,\; 2 + 4) = (4, 6)$ and $dg = (-1 + 3,\; 2 - 4) = (2, -2)$.


# %% task="backward"
def layernorm_backward(dout, cache):
    """The gradients of layer normalization.

    dout:    gradient at the output, (..., C), of its shape
    cache:   what layernorm_forward returned for this input
    returns  (dx, dgain, dbias): dx has the input's shape, dgain and dbias have shape (C,)

    dout and what the cache holds must be the same after the call.
    """
    ### BEGIN SOLUTION
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dgain = (dout * normalized).sum(axis=rows)
    dbias = dout.sum(axis=rows)
    dnormalized = dout * gain
    through_mean = dnormalized.mean(axis=-1, keepdims=True)
    through_s = normalized * (dnormalized * normalized).mean(axis=-1, keepdims=True)
    return (dnormalized - through_mean - through_s) / s, dgain, dbias
    ### END SOLUTION


# %% grade="backward"
check("backward")

# %% [markdown]
# ## 5. A judge for three gradients
#
# In *Residual connections* an all-ones upstream gradient was a lenient judge. For layer
# normalization it is no judge at all:

# %%
with needs("layernorm_forward", "layernorm_backward"):
    x = np.random.default_rng(1).standard_normal((3, 8))
    _, cache = layernorm_forward(x, np.ones(8), np.zeros(8))
    dx, _, _ = layernorm_backward(np.ones((3, 8)), cache)
    print(f"all ones, gain one: the largest entry of dx is {np.max(np.abs(dx)):.0e}")

# %% [markdown]
# Zero, up to rounding. Of course: the entries of a normalized row add up to zero whatever $x$ is, so
# the loss $\sum \text{out}$ does not depend on $x$ at all. A backward pass that returns nothing but
# zeros would pass such a check with honours.
#
# So write a check that convicts. The loss is weighted, $L = \sum d\text{out} \odot \text{out}$, which
# makes `dout` its upstream gradient, and all three gradients have to stand trial, each with an
# error of its own. The layer that is tried comes in as a pair of functions, so that you can try
# other people's layers too. `numerical_gradient` and `max_relative_error` are at the top of this
# notebook.


# %% task="gradient_check"
def check_layernorm(forward, backward, x, gain, bias, dout):
    """Compare the three gradients of a normalization layer with numerical gradients.

    forward:   called as forward(x, gain, bias), returns (out, cache)
    backward:  called as backward(dout, cache), returns (dx, dgain, dbias)
    x:         (..., C)
    gain:      (C,)
    bias:      (C,)
    dout:      (..., C), the upstream gradient of the loss sum(dout * out)
    returns    (error_x, error_gain, error_bias): the largest relative error of each gradient

    Call the two functions with their arguments in the order above, without naming them. The arrays
    must be the same after the call.
    """
    ### BEGIN SOLUTION
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * forward(x, gain, bias)[0])

    return (
        max_relative_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        max_relative_error(dgain, numerical_gradient(lambda v: loss(x, v, bias), gain)),
        max_relative_error(dbias, numerical_gradient(lambda v: loss(x, gain, v), bias)),
    )
    ### END SOLUTION


# %% grade="gradient_check"
check("gradient_check")

# %% [markdown]
# Your layer on trial, and beside it a famous impostor, who treats $\mu$ and $s$ as constants. Below
# $10^{-4}$ is an acquittal.

# %%
with needs("layernorm_forward", "layernorm_backward", "check_layernorm"):
    rng = np.random.default_rng(42)
    x, dout = rng.standard_normal((2, 3, 8))
    gain, bias = rng.standard_normal((2, 8))

    def constant_statistics(dout, cache):
        _, dgain, dbias = layernorm_backward(dout, cache)
        return dout * gain / x.std(axis=-1, keepdims=True), dgain, dbias

    for name, backward in (("yours", layernorm_backward), ("impostor", constant_statistics)):
        errors = check_layernorm(layernorm_forward, backward, x, gain, bias, dout)
        print(f"{name:>8}:", "  ".join(f"{error:.1e}" for error in errors))

# %% [markdown]
# ## 6. The pre-norm block
#
# Where does the normalization go? There are two schools. The first Transformer normalized the *sum*,
# $\text{layernorm}(x + f(x))$, which is called **post-norm**: the stream itself is forced through
# the ruler at every layer. Today most networks normalize what the *branch* reads, and leave the
# stream alone:
#
# ```
#        ┌─────────────────── skip ───────────────────┐
#        │                                            │
#   x ───┴─── layernorm ─── h ─── tanh(h @ W) ─────── + ─── out
# ```
#
# $$h = \text{layernorm}(x), \qquad \text{out} = x + \tanh(h W) .$$
#
# This is **pre-norm**. R. Xiong et al., *On Layer Normalization in the Transformer Architecture*
# (2020, [arXiv:2002.04745](https://arxiv.org/abs/2002.04745)) study why it is easier to train: at the
# start of training, the post-norm Transformer has large gradients near its output and needs a
# careful warm-up of the learning rate, while in the pre-norm one they are well-behaved.
#
# Write both directions. You own every piece: the branch is a chain of three steps, and the
# skip path is the plus sign you know. As before we leave the gradient of $W$ aside.
#
# *By hand:* for the row $x = (1, 3)$, gain one, bias zero and $W = 0.5\, I$, the branch reads
# $h = (-1, 1)$ and answers $\tanh(\mp 0.5) = (-0.462, 0.462)$, so $\text{out} = (0.538, 3.462)$. The row
# $(10, 30)$ gets the very same branch.


# %% task="prenorm_block"
def prenorm_forward(x, W, gain, bias):
    """The pre-norm residual block x + tanh(layernorm(x) @ W) (see Xiong et al. 2020, arXiv:2002.04745).

    x:       (B, T, C) or (B, C)
    W:       (C, C)
    gain:    (C,)
    bias:    (C,)
    returns  (out, cache): out has x's shape, cache is whatever prenorm_backward needs

    The layer normalization uses its default eps. The arguments must be the same after the call.
    """
    ### BEGIN SOLUTION
    h, cache = layernorm_forward(x, gain, bias)
    a = np.tanh(h @ W)
    return x + a, (cache, a, W)
    ### END SOLUTION


def prenorm_backward(dout, cache):
    """The gradients of the pre-norm block.

    dout:    gradient at the block's output, of its shape
    cache:   what prenorm_forward returned for this input
    returns  (dx, dgain, dbias): dx has the input's shape, dgain and dbias have shape (C,)

    dout and what the cache holds must be the same after the call.
    """
    ### BEGIN SOLUTION
    cache, a, W = cache
    dh = (dout * (1 - a**2)) @ W.T
    dx, dgain, dbias = layernorm_backward(dh, cache)
    return dout + dx, dgain, dbias
    ### END SOLUTION


# %% grade="prenorm_block"
check("prenorm_block")

# %% [markdown]
# The judge may have a look at this one as well. It only needs to be told which weights to use.

# %%
with needs("layernorm_forward", "layernorm_backward", "prenorm_forward", "prenorm_backward", "check_layernorm"):
    rng = np.random.default_rng(7)
    x, dout = rng.standard_normal((2, 2, 3, 5))
    gain, bias = rng.standard_normal((2, 5))
    W = rng.standard_normal((5, 5)) / np.sqrt(5)
    errors = check_layernorm(lambda x, g, b: prenorm_forward(x, W, g, b), prenorm_backward, x, gain, bias, dout)
    print("  ".join(f"{error:.1e}" for error in errors))

# %% [markdown]
# ## 7. Two stacks, two norms
#
# Now for the experiment. Run an input up a stack, send a gradient of all ones down again, and note
# two numbers: the norm of the **stream** where it leaves at the top, and the norm of the **gradient**
# where it arrives at the bottom. Do it for the plain residual block, which is given at the top
# of this notebook, and for the pre-norm block with gain one and bias zero, as they are before
# training.


# %% task="stack_norms"
def stack_norms(x, Ws, prenorm):
    """The norms of the stream and of the gradient in a stack of residual blocks.

    x:        the input, (B, T, C) or (B, C); it must be the same after the call
    Ws:       list of weights, (C, C) each, one for each layer from bottom to top; perhaps none
    prenorm:  True for pre-norm blocks with gain one and bias zero, False for plain residual blocks
    returns   (stream, gradient), two floats: the norm of the output at the top, and the norm of the
              gradient that reaches the input when the gradient at the top is all ones

    A norm is the square root of the sum of all squared entries, over all axes.
    """
    ### BEGIN SOLUTION
    gain, bias = np.ones(x.shape[-1]), np.zeros(x.shape[-1])
    caches = []
    for W in Ws:
        x, cache = prenorm_forward(x, W, gain, bias) if prenorm else residual_forward(x, W)
        caches.append(cache)
    dx = np.ones_like(x)
    for cache in reversed(caches):
        dx = prenorm_backward(dx, cache)[0] if prenorm else residual_backward(dx, cache)
    return float(np.sqrt(np.sum(x**2))), float(np.sqrt(np.sum(dx**2)))
    ### END SOLUTION


# %% grade="stack_norms"
check("stack_norms")

# %% [markdown]
# ## 8. Measure it
#
# The same input for every row of the table, `np.random.RandomState(0).randn(4, 16)`, and the same
# bank of weights: depth $N$ uses the first $N$ matrices of it.
#
# *Guess first:* which of the two streams grows faster? And what will pre-norm do to the gradient: hold
# it at 8, let it grow, or let it shrink?


# %% task="drift_table"
def drift_table(Ws, depths) -> str:
    """A table of the norms of the stream and of the gradient, without and with pre-norm.

    Ws:      list of weights, (16, 16) each, one bank for all depths
    depths:  list of int, one row for each, in this order
    returns  the lines below, joined by newline characters, without one at the very end:
             1. the words  depth N,  stream res,  stream pre,  grad res,  grad pre  with the
                widths of the rows
             2. a rule of 68 dashes
             3. for each depth a row f"{N:>8} | {a:>12.6f} | {b:>12.6f} | {c:>12.6f} | {d:>12.6f}"
                with the norm of the stream without (a) and with pre-norm (b), then the norm of
                the gradient without (c) and with pre-norm (d)
    """
    ### BEGIN SOLUTION
    x = np.random.RandomState(0).randn(4, 16)
    names = ("stream res", "stream pre", "grad res", "grad pre")
    lines = [" | ".join([f"{'depth N':>8}", *(f"{name:>12}" for name in names)]), "-" * 68]
    for N in depths:
        a, c = stack_norms(x, Ws[:N], False)
        b, d = stack_norms(x, Ws[:N], True)
        lines.append(f"{N:>8} | {a:>12.6f} | {b:>12.6f} | {c:>12.6f} | {d:>12.6f}")
    return "\n".join(lines)
    ### END SOLUTION


# %% grade="drift_table"
check("drift_table")

# %%
with needs(
    "layernorm_forward",
    "layernorm_backward",
    "prenorm_forward",
    "prenorm_backward",
    "stack_norms",
    "drift_table",
):
    print(drift_table(weight_bank(0.5, n=100), [1, 5, 10, 20, 50, 100]))

# %% [markdown]
# You should see this:
#
# ```
#  depth N |   stream res |   stream pre |     grad res |     grad pre
# --------------------------------------------------------------------
#        1 |     9.061506 |     9.098291 |     8.671100 |     8.583770
#        5 |    11.897869 |    10.823951 |    14.544574 |    10.801351
#       10 |    13.458295 |    11.229363 |    18.981747 |    15.100745
#       20 |    20.842430 |    15.302954 |    25.643279 |    36.540753
#       50 |    35.373913 |    22.560219 |    48.116974 |    44.784186
#      100 |    74.563938 |    37.715616 |   153.000029 |    72.572122
# ```
#
# The column `grad res` begins with the numbers of *Residual connections*, as it should. Now read the
# table like somebody who has no theory to defend.
#
# *Pre-norm does not stop the stream.* Nothing is taken out of it here either, and it grows. But
# it grows more slowly: a branch that is always given a row of the same size pours in about the same
# amount, at layer 100 as at layer 1, and independent amounts add up like a square root.
#
# *Pre-norm does not hold the gradient at 8.* At depth 20 it is even the larger of the two, 36.5
# against 25.6! Had we looked at that line alone, we would have drawn the wrong conclusion. It is
# one bank and one direction of the gradient. So ask ten banks, and go deeper:

# %%
with needs("layernorm_forward", "layernorm_backward", "prenorm_forward", "prenorm_backward", "stack_norms"):
    x = np.random.RandomState(0).randn(4, 16)
    for N in (20, 100):
        banks = [weight_bank(0.5, n=N, seed=seed) for seed in range(10)]
        norms = np.array([[stack_norms(x, Ws, prenorm) for prenorm in (False, True)] for Ws in banks])
        for column, name in enumerate(("stream", "gradient")):
            res, pre = norms[:, :, column].T
            print(
                f"depth {N:3}, {name:>8}: median without {np.median(res):6.1f}, with pre-norm {np.median(pre):5.1f};"
                f" smaller with pre-norm in {np.sum(pre < res)} of 10 banks"
            )

# %% [markdown]
# This is the sober finding. At twenty layers there is a tendency; at a hundred, pre-norm has the
# smaller gradient in every bank, and by a wide margin. The reason stands in your backward pass:
# the way through the normalization ends with a division by $s$, the size of the stream's row.
# As the stream grows, each further branch changes the gradient *less*. The growth slows itself
# down, where the plain stack goes on multiplying.
#
# The two curves side by side; on these axes a straight line is a power of the depth.

# %%
with needs("layernorm_forward", "layernorm_backward", "prenorm_forward", "prenorm_backward", "stack_norms"):
    x, Ws = np.random.RandomState(0).randn(4, 16), weight_bank(0.5, n=100)
    depths = [1, 2, 4, 7, 10, 15, 20, 30, 40, 50, 65, 80, 100]
    norms = np.array([[stack_norms(x, Ws[:N], prenorm) for N in depths] for prenorm in (False, True)])
    fig, axes = plt.subplots(1, 2, figsize=(10, 4))
    for curves, style, name in zip(norms, ("o-", "s-"), ("plain residual", "pre-norm")):
        for column, ax in enumerate(axes):
            ax.loglog(depths, curves[:, column], style, label=name)
    for ax, title in zip(axes, ("norm of the stream at the top", "norm of the gradient at the input")):
        ax.set(title=title, xlabel="depth N")
        ax.grid(alpha=0.3)
        ax.legend()
    plt.show()

# %% [markdown]
# And the layers? Take the walk of the beginning once more, this time with pre-norm, and look at what
# the branch is given:

# %%
with needs("layernorm_forward", "prenorm_forward"):
    x, gain, bias = np.random.RandomState(0).randn(4, 16), np.ones(16), np.zeros(16)
    for layer, W in enumerate(weight_bank(0.5, n=100), start=1):
        if layer in (1, 5, 10, 20, 50, 100):
            h, _ = layernorm_forward(x, gain, bias)
            size, slope = np.sqrt(np.mean(h**2)), np.mean(1 - np.tanh(h @ W) ** 2)
            print(f"layer {layer:3} reads rows of size {size:.2f}, its tanh has the average slope {slope:.2f}")
        x, _ = prenorm_forward(x, W, gain, bias)

# %% [markdown]
# They never notice. Whatever the stream does, each branch is given rows of mean 0 and size 1, and
# its tanh is as awake in layer 100 as in layer 1. That is the true gift of pre-norm: not a stream
# that stands still, but layers that need not care. (At the very top, pre-norm networks put one
# last layer normalization, so that the reader of the stream need not care either.)

# %% [markdown]
# ## 9. What no branch can change
#
# One thing is left, and it is the prettiest. Send a random gradient down through thirty pre-norm
# blocks with random weights, gains and biases, and add up the entries of each row, at the top and
# at the bottom:

# %%
with needs("layernorm_forward", "layernorm_backward", "prenorm_forward", "prenorm_backward"):
    rng = np.random.default_rng(3)
    x, dout = rng.standard_normal((2, 4, 16))
    caches = []
    for W in weight_bank(1.0, n=30, seed=3):
        x, cache = prenorm_forward(x, W, *rng.standard_normal((2, 16)))
        caches.append(cache)
    dx = dout
    for cache in reversed(caches):
        dx, _, _ = prenorm_backward(dx, cache)
    print("norm of the gradient:", f"{np.linalg.norm(dout):.3f} at the top, {np.linalg.norm(dx):.3f} at the bottom")
    print("its row sums at the top:   ", np.round(dout.sum(axis=-1), 9))
    print("its row sums at the bottom:", np.round(dx.sum(axis=-1), 9))

# %% [markdown]
# The gradient has changed beyond recognition. Its row sums have not changed at all.
#
# Explain it to a friend, in ten sentences or fewer, with formulas where they help:
#
# - Why do the entries of the `dx` of *layer normalization* add up to zero in each row, whatever
#   `dout` and the gain are? (Either way will do: from the formula, or from what the layer does to a
#   row that is lifted.)
# - Why do the row sums of the gradient therefore pass through a stack of *pre-norm blocks*
#   unchanged, whatever the weights are? What does that say about the smallest possible value in
#   the column `grad pre`, where the gradient at the top was all ones, of norm 8?
# - In a *post-norm* block, $\text{out} = \text{layernorm}(x + f(x))$, what has become of the open
#   road from the loss to the bottom layer?

# %% [markdown] task="explain_sums"
# Layer normalization gives the same output for $x$ and for $x + c\mathbf{1}$, because the mean takes
# the constant out again. So its derivative in the direction $\mathbf{1}$ is zero: $J \mathbf{1} = 0$.
# The sum of a row of $dx = d\text{out}^{\top} J$ is $d\text{out}^{\top} J \mathbf{1} = 0$, for every
# $d\text{out}$ and every gain. (From the formula: subtracting the mean of $d\hat{x}$ makes the sum
# zero, and the other correction is a multiple of $\hat{x}$, whose sum is zero already.)
#
# The gradient of a pre-norm block is $d\text{out}$, along the skip path, plus what comes back
# through the branch. The last thing that the branch's gradient passes is the layer normalization, so
# its row sums are zero, and the row sums of the block's $dx$ are those of $d\text{out}$. That
# holds for each block, hence for any number of them. With all ones at the top, each row sum
# is 16 and stays 16. A row of 16 entries with the sum 16 has at least the norm $16 / \sqrt{16} = 4$
# (its component along $\mathbf{1}$ alone has that length), so four rows have at least the norm 8: no
# weights whatever can push `grad pre` below 8. In the plain residual stack a branch could, in
# principle, cancel the skip path.
#
# In a post-norm block the normalization sits on the sum, so both roads lead through it. Every layer
# multiplies the whole gradient by a layer normalization's Jacobian, which is blind in two
# directions and divides by $s$; the product of all these stands in front of every term, and there is
# no longer a term that is the identity. With gain one, an all-ones gradient is even wiped out by
# the very first layer it meets.

# %% [markdown]
# ## What you take along
#
# You derived a backward pass in which every output depends on every input, without writing a
# single matrix; you wrote a judge that does not take all ones for an answer; and you know what
# pre-norm does and what it does not do, because you measured it. A Transformer block is two of
# these pre-norm blocks with better branches.
#
# To read on: the two papers named above. The first has a section on invariances, a table of what
# each kind of normalization is blind to; the second works out, on average over random weights,
# how the size of the stream and of the gradients depends on the depth in both kinds of Transformer.

# %% [markdown]
# **Before you hand in,** save this notebook, take the `#` in the next cell away and run it. It runs the
# notebook from top to bottom in a new kernel, in a folder that holds what the grader has, and says what the grader
# would stumble over. `python checks.py` in a terminal does the same.

# %%
# from checks import before_handing_in; before_handing_in()
