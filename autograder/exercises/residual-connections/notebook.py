# %% [markdown]
# # Residual connections
#
# Pile up enough layers and a network goes deaf. The loss at the top still has something to say,
# but by the time its message has come down through twenty layers there is nothing left to hear.
# In this notebook you will watch that happen, measure it to six digits, and then mend it with a
# single plus sign.
#
# Everything is NumPy and everything is yours: sixteen short functions, most of them one to five
# lines long. At the end you will have a residual block whose backward pass you have derived,
# written and *checked*, and a table that shows why hardly any deep network is built without skip
# paths today.
#
# **How to work.** Where a cell says `raise NotImplementedError`, replace that line by your code.
# Run the cell, then run the `check(...)` below it: it tries your function on small inputs and
# tells you what differs. The final grade comes from further tests on other inputs. The cells in
# between print and plot what your functions find; change them as you like, and add your own.
# After a restart of the kernel, run all cells from the top again. `check()` shows how far you are.
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
# ## 1. A message that fades
#
# Call the activations at the bottom $x_0$ and let every layer make the next ones from the last,
#
# $$x_l = f_l(x_{l-1}), \qquad l = 1, \dots, N.$$
#
# The gradient of a loss $L$ travels the other way. Each layer multiplies it by its Jacobian
# $J_l = \partial x_l / \partial x_{l-1}$, so what arrives at the bottom has passed through all of
# them:
#
# $$\frac{\partial L}{\partial x_0}
# = \frac{\partial L}{\partial x_N}\; J_N \, J_{N-1} \cdots J_2 \, J_1 .$$
#
# A product of $N$ factors is a harsh judge. Suppose each Jacobian changes the length of a typical
# gradient by the factor $\gamma$. Then the bottom layer receives about $\gamma^N$ times what the
# top layer sent.
#
# *Guess first:* of a gradient of length 1, how much is left after twenty layers with
# $\gamma = 0.9$? Ten layers of one half make $2^{-10}$, about a thousandth, without a computer.

# %%
for gamma in (0.5, 0.9, 1.0, 1.1):
    print(f"gamma = {gamma}:", "  ".join(f"{gamma**N:10.3g}" for N in (1, 5, 10, 20, 100)))

# %% [markdown]
# One half is no extreme value, and yet twenty layers of it leave a millionth. The only factor that
# lasts is $\gamma = 1$, and no random matrix will do us the favour of having it.
#
# So let us stop hoping for lucky factors and build the 1 in.

# %% [markdown]
# ## 2. The plus sign
#
# A **residual connection** lets the input walk around the sublayer and meets it again behind it:
#
# ```
#        ┌──────────── skip ────────────┐
#        │                              │
#   x ───┴──────── f (sublayer) ─────── + ─── out
# ```
#
# $$\text{out} = x + f(x)$$
#
# The sublayer no longer has to produce the next activations. It only has to say what should
# *change*: the residual. A sublayer that says nothing, $f(x) = 0$, leaves $x$ exactly as it was,
# however deep the stack.
#
# The sum is taken entry by entry, so $f(x)$ must have the shape of $x$. That is why the number of
# channels $C$ stays the same all the way up a residual stack. Activations here are `(B, T, C)`
# (batch, time, channels) or simply `(B, C)`.
#
# There is a trap. Add a `(B, 1)` array to a `(B, C)` array and NumPy does not complain: it
# *broadcasts*, copying the one column $C$ times. A sublayer with a wrong shape would go unnoticed
# and the network would quietly learn something else. Your function must notice.
#
# *By hand:* for $x = (1, 2)$ and a sublayer that answers $f(x) = (0.5, -0.25)$, out is
# $(1.5, 1.75)$. Should the sublayer answer with the single number $0.5$, there is no sum to take.


# %% task="residual"
def residual(x, sublayer):
    """Add the skip path around a sublayer.

    x:         array, (B, T, C) or (B, C); it must be the same after the call
    sublayer:  a function that takes an array and returns an array; call it once
    returns    the sum of the skip path and the sublayer's result, an array of x's shape

    Raises ValueError if the sublayer's result has another shape than x, also where NumPy would
    broadcast the two. The message names both shapes, for example (2, 4) and (2, 1).
    """
    ### BEGIN SOLUTION
    branch = sublayer(x)
    if branch.shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, but the sublayer returned shape {branch.shape}")
    return x + branch
    ### END SOLUTION


# %% grade="residual"
check("residual")

# %% [markdown]
# Try it: first a sublayer that says nothing, then one that takes a mean and loses the channels.

# %%
with needs("residual"):
    x = np.arange(6.0).reshape(2, 3)
    print(residual(x, np.zeros_like))
    try:
        print(residual(x, lambda v: v.mean(axis=-1, keepdims=True)))
    except ValueError as error:
        print("ValueError:", error)

# %% [markdown]
# ## 3. Two roads back
#
# Forward, $x$ went out on two roads. Backward, the gradient comes home on both, and the chain rule
# adds what they bring. In this course a gradient is named after its quantity: `dout` is
# $\partial L / \partial\,\text{out}$, `dx` is $\partial L / \partial x$.
#
# - On the **skip path** nothing happens to $x$: the local derivative is exactly 1, and `dout`
#   arrives as it is.
# - On the **branch**, `dout` flows back through $f$. Call what comes out of it `df`.
#
# As Jacobians, one residual layer multiplies the gradient by $I + J$ instead of $J$. Multiply out a
# stack of $N$ of them,
#
# $$(I + J_N) \cdots (I + J_1) = I + \sum_l J_l + \sum_{l > m} J_l J_m + \dots$$
#
# and among the $2^N$ terms there is one, the very first, that holds no Jacobian at all. It is an
# open road from the loss to the bottom layer, and no depth makes it longer.
#
# *By hand:* let the sublayer be $f(x) = 3x$, so that $\text{out} = 4x$. An upstream gradient
# `dout` $= (1, -2)$ comes out of the branch as `df` $= (3, -6)$, and $dx$ must be four times `dout`:
# $(4, -8)$. One part of it came along the skip path, three through the branch.


# %% task="residual_gradient"
def residual_gradient(dout, df):
    """Join the gradients of the two roads at the input of a residual connection.

    dout:    gradient at the output, any shape
    df:      what dout became after flowing back through the sublayer, the same shape
    returns  dx, the gradient at the input, the same shape

    Both arguments must be the same after the call.
    """
    ### BEGIN SOLUTION
    return dout + df
    ### END SOLUTION


# %% grade="residual_gradient"
check("residual_gradient")

# %% [markdown]
# ## 4. Something to skip around
#
# We need a sublayer that is simple enough to differentiate by hand and real enough to fade:
#
# $$z = x W, \qquad a = \tanh(z),$$
#
# with $W$ of shape `(C, C)` and tanh applied entry by entry. Backward, take the steps in reverse.
#
# **Through tanh.** Each entry of $a$ depends on one entry of $z$ alone, with slope
# $1 - \tanh^2(z)$. So the gradient is multiplied entry by entry:
#
# $$dz = d\text{out} \odot \left(1 - \tanh^2(z)\right).$$
#
# **Through the matrix.** In $z = xW$ the entry $x_i$ feeds every $z_j$ with weight $W_{ij}$, so
# $dx_i = \sum_j dz_j W_{ij}$, which is
#
# $$dx = dz \, W^{\top}.$$
#
# The backward pass needs something that only the forward pass has seen. The forward pass hands it
# over in a **cache**. What you put in is your own affair; any object will do. Just pass it on as a
# return value and do not park it in a global variable: in a stack, many forward passes run before
# the first backward pass, and each of them needs its own.
#
# *By hand:* take $x = (1, 2)$ and $W = \begin{pmatrix} 1 & 0 \\ -0.5 & 1 \end{pmatrix}$. Then
# $z = (1 \cdot 1 - 2 \cdot 0.5,\; 2 \cdot 1) = (0, 2)$ and $a = (0, 0.964)$. The slopes of tanh there
# are $1$ and $0.071$: the second entry is nearly flat. An upstream gradient $(1, 1)$ becomes
# $dz = (1, 0.071)$, and $dx = (1 \cdot 1 + 0.071 \cdot 0,\; -1 \cdot 0.5 + 0.071 \cdot 1) = (1, -0.429)$.


# %% task="sublayer"
def sublayer_forward(x, W):
    """The sublayer tanh(x @ W).

    x:       (B, T, C) or (B, C)
    W:       (C, C)
    returns  (a, cache): a has x's shape, cache is whatever sublayer_backward needs
    """
    ### BEGIN SOLUTION
    z = x @ W
    return np.tanh(z), z
    ### END SOLUTION


def sublayer_backward(dout, cache, W):
    """The gradient of the sublayer with respect to its input.

    dout:    gradient at the sublayer's output a, of a's shape
    cache:   what sublayer_forward returned for this input
    W:       the same weights, (C, C)
    returns  dx, of the input's shape
    """
    ### BEGIN SOLUTION
    z = cache
    dz = dout * (1 - np.tanh(z) ** 2)
    return dz @ W.T
    ### END SOLUTION


# %% grade="sublayer"
check("sublayer")

# %% [markdown]
# ## 5. Climb the stack and come back down
#
# Now the experiment itself. Stack $N$ sublayers, with or without skip paths, send a gradient in at
# the top and measure how much of it reaches the bottom.
#
# 1. The input is `np.random.RandomState(0).randn(4, 16)`, drawn afresh in every call, so that every
#    measurement starts from the same place.
# 2. Forward through `N` sublayers: the first uses `Ws[0]`, the next `Ws[1]`, and so on. With
#    `residual=True` each layer adds its result to its input; without, the result *is* the next
#    input.
# 3. The gradient that enters at the top is all ones. Its norm is $\sqrt{4 \cdot 16} = 8$.
# 4. Backward through the same layers, last one first.
# 5. Return the norm of what arrives at the input: the square root of the sum of all squared
#    entries.
#
# *By hand:* two layers, one channel, $W = 0.5$ twice, input 1. Without skip paths the activations are
# $1 \to 0.462 \to 0.227$, the slopes of tanh $0.786$ and $0.948$, so each layer multiplies the
# gradient by $0.5 \cdot 0.786 = 0.393$ and $0.5 \cdot 0.948 = 0.474$: of 1 there arrives $0.186$. With
# skip paths the activations are $1 \to 1.462 \to 2.086$, the slopes $0.786$ and $0.611$, the factors
# $1 + 0.393$ and $1 + 0.305$: there arrives $1.819$.


# %% task="run_stack"
def run_stack(N, residual, Ws) -> float:
    """The norm of the gradient at the input of a stack of N sublayers.

    N:         number of layers, at most len(Ws); the first N weights are used
    residual:  True for layers with a skip path, False for layers without
    Ws:        list of weights, each (16, 16)
    returns    a float
    """
    ### BEGIN SOLUTION
    x = np.random.RandomState(0).randn(4, 16)
    caches = []
    for W in Ws[:N]:
        a, cache = sublayer_forward(x, W)
        caches.append(cache)
        x = x + a if residual else a
    dx = np.ones_like(x)
    for W, cache in zip(reversed(Ws[:N]), reversed(caches)):
        df = sublayer_backward(dx, cache, W)
        dx = dx + df if residual else df
    return float(np.linalg.norm(dx))
    ### END SOLUTION


# %% grade="run_stack"
check("run_stack")

# %% [markdown]
# ## 6. Measure it
#
# A fair comparison needs fair weights: the same bank of matrices for both kinds of stack and for
# every depth. Entries are drawn from a normal distribution and multiplied by $s / \sqrt{C}$. Why
# the root? An entry of $xW$ is a sum of $C$ terms; dividing by $\sqrt{C}$ keeps its size
# independent of $C$, and $s$ (the `scale`) says by how much a layer stretches a typical vector.
#
# The random numbers come from NumPy's global generator: seed it once with `np.random.seed(seed)`,
# then draw `np.random.randn(C, C)` once for each of the `n` matrices. Same seed, same order, same
# bank.
#
# Then write the table, byte for byte as it is described in the docstring. That is a matter of
# courtesy to whoever compares your table with theirs by machine.
#
# *Guess first:* with $s = 0.5$, by about which factor will the plain column fall from one layer to
# the next? And can the other column fall below 8 at all? Write it down before you run your table.


# %% task="gradient_table"
def weight_bank(scale, C=16, n=20, seed=42) -> list:
    """Weights for a stack, the same ones in every call with the same arguments.

    scale:   how much a layer stretches a typical vector
    C:       number of channels
    n:       number of matrices
    seed:    for np.random.seed, once per bank
    returns  list of n arrays, each np.random.randn(C, C) times scale / sqrt(C)
    """
    ### BEGIN SOLUTION
    np.random.seed(seed)
    return [np.random.randn(C, C) * (scale / np.sqrt(C)) for _ in range(n)]
    ### END SOLUTION


def gradient_table(Ws, depths) -> str:
    """A table of gradient norms, without and with skip paths.

    Ws:      list of weights, one bank for all depths
    depths:  list of int, one row for each, in this order
    returns  the lines below, joined by newline characters, without one at the very end:
             1. the words  depth N,  no residual,  with residual  with the widths of the rows
             2. a rule of 44 dashes
             3. for each depth a row f"{N:>8} | {plain:>14.6e} | {res:>14.6f}"
    """
    ### BEGIN SOLUTION
    lines = [f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}", "-" * 44]
    for N in depths:
        plain = run_stack(N, False, Ws)
        res = run_stack(N, True, Ws)
        lines.append(f"{N:>8} | {plain:>14.6e} | {res:>14.6f}")
    return "\n".join(lines)
    ### END SOLUTION


# %% grade="gradient_table"
check("gradient_table")

# %%
with needs("sublayer_forward", "sublayer_backward", "run_stack", "weight_bank", "gradient_table"):
    print(gradient_table(weight_bank(0.5), [1, 5, 10, 20]))

# %% [markdown]
# You should see this:
#
# ```
#  depth N |    no residual |  with residual
# --------------------------------------------
#        1 |   2.778871e+00 |       8.671100
#        5 |   7.579453e-02 |      14.544574
#       10 |   1.856928e-03 |      18.981747
#       20 |   8.262664e-07 |      25.643279
# ```
#
# A gradient of norm 8 went in. Without skip paths, one ten-millionth of it comes out of twenty
# layers. With them, all of it is still there, and more. The same weights, the same input; the
# difference is the plus sign.
#
# A picture says how it fades. On a logarithmic axis a power $\gamma^N$ is a straight line: what do
# you expect to see of each of the two stacks?

# %%
with needs("sublayer_forward", "sublayer_backward", "run_stack", "weight_bank"):
    Ws = weight_bank(0.5)
    depths = np.arange(1, 21)
    plain = np.array([run_stack(int(N), False, Ws) for N in depths])
    res = np.array([run_stack(int(N), True, Ws) for N in depths])
    gamma = (plain[-1] / plain[0]) ** (1 / (depths[-1] - depths[0]))

    plt.figure(figsize=(7, 4.5))
    plt.semilogy(depths, res, "o-", label="with residual")
    plt.semilogy(depths, plain, "s-", label="no residual")
    line = plain[0] * gamma ** (depths - depths[0])
    plt.semilogy(depths, line, "k:", label=f"a power of $\\gamma$ = {gamma:.2f}")
    plt.axhline(8, color="gray", linewidth=1, label="what entered at the top")
    plt.xticks([1, 5, 10, 15, 20])
    plt.xlabel("depth N")
    plt.ylabel("norm of the gradient at the input")
    plt.title("How much of the gradient arrives?")
    plt.legend()
    plt.grid(alpha=0.3)
    plt.show()

# %% [markdown]
# The plain stack zigzags down along a straight line: on average every layer keeps a little under
# one half. The scale of the weights alone would keep about 0.5; the slope of tanh, which is never
# above 1, takes the rest.
#
# The residual stack stays on the other side of 8 and even grows, since each branch adds something
# to the open road. Healthy does not mean constant. Real networks keep that growth in check with
# normalization and small initial weights, but a signal that must be calmed is a far better problem
# to have than one that is gone.

# %% [markdown]
# ## 7. The block as a pair
#
# Put the pieces together into what a library would offer: a forward pass that remembers and a
# backward pass that knows everything from the cache.
#
# $$\text{out} = x + \tanh(xW), \qquad
# dx = d\text{out} + \left(d\text{out} \odot (1 - \tanh^2 z)\right) W^{\top}.$$


# %% task="residual_pair"
def residual_forward(x, W):
    """A residual block around the sublayer tanh(x @ W).

    x:       (B, T, C) or (B, C)
    W:       (C, C)
    returns  (out, cache): out has x's shape, cache is whatever residual_backward needs
    """
    ### BEGIN SOLUTION
    a, cache = sublayer_forward(x, W)
    return x + a, (cache, W)
    ### END SOLUTION


def residual_backward(dout, cache):
    """The gradient of the residual block with respect to its input.

    dout:    gradient at the block's output, of its shape
    cache:   what residual_forward returned for this input
    returns  dx, of the input's shape
    """
    ### BEGIN SOLUTION
    cache, W = cache
    return dout + sublayer_backward(dout, cache, W)
    ### END SOLUTION


# %% grade="residual_pair"
check("residual_pair")

# %% [markdown]
# ## 8. Trust, but measure
#
# A backward pass can be wrong and still look reasonable: right shape, plausible numbers, a loss
# that even goes down. There is a way to know. Forget all calculus, move one entry of the input a
# little, and look at what the loss does:
#
# $$\frac{\partial L}{\partial x_i}
# \approx \frac{L(x + \varepsilon e_i) - L(x - \varepsilon e_i)}{2 \varepsilon}.$$
#
# Stepping to *both* sides pays. By Taylor's formula the error of this central difference is
# proportional to $\varepsilon^2$; with a step to one side only it would be proportional to
# $\varepsilon$. And why not make $\varepsilon$ tiny? Because the two losses then agree in almost
# all their digits, and their difference is made of what rounding has left. In float64 a step of
# about $10^{-6}$ is a good compromise.
#
# To compare two gradients $a$ and $b$, look at the worst entry, relative to the size of both:
#
# $$\max_i \frac{|a_i - b_i|}{|a_i| + |b_i| + 10^{-12}}.$$
#
# The last term is there for entries where both are zero.
#
# *By hand:* for $f(x) = x^3$ at $x = 1$ with the large step $\varepsilon = 0.1$, both sides give
# $(1.331 - 0.729) / 0.2 = 3.01$, one side alone $(1.331 - 1) / 0.1 = 3.31$; the truth is 3. And
# $(1, 0)$ against $(1.1, 0)$ is off by $0.1 / 2.1 = 0.048$ at its worst entry.


# %% task="gradient_check"
def numerical_gradient(f, x, eps=1e-6):
    """The gradient of a scalar function by central differences.

    f:       a function that takes an array of x's shape and returns a number
    x:       float64 array of any shape; it must be the same after the call
    eps:     how far to step to either side
    returns  array of x's shape, one partial derivative for each entry
    """
    ### BEGIN SOLUTION
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[index] = eps
        gradient[index] = (f(x + step) - f(x - step)) / (2 * eps)
    return gradient
    ### END SOLUTION


def max_relative_error(a, b) -> float:
    """The largest difference of two arrays, relative to their entries.

    a, b:    arrays of the same shape
    returns  a float: the largest |a - b| / (|a| + |b| + 1e-12) of all entries
    """
    ### BEGIN SOLUTION
    return float(np.max(np.abs(a - b) / (np.abs(a) + np.abs(b) + 1e-12)))
    ### END SOLUTION


# %% grade="gradient_check"
check("gradient_check")

# %% [markdown]
# Now put your own block on the scales. The first line uses the loss $L = \sum \text{out}$, whose
# upstream gradient is all ones. All ones is a lenient judge, though: many a wrong backward pass
# gets through it. So the second line weights the outputs at random,
# $L = \sum d\text{out} \odot \text{out}$, which makes `dout` the upstream gradient.
#
# Anything far below $10^{-4}$ is a pass; a right block gets to about $10^{-9}$. The exact digits
# are nothing but rounding and differ from one computer to the next.

# %%
with needs(
    "sublayer_forward",
    "sublayer_backward",
    "residual_forward",
    "residual_backward",
    "numerical_gradient",
    "max_relative_error",
):
    rng = np.random.default_rng(42)
    C = 8
    x = rng.standard_normal((3, C))
    W = rng.standard_normal((C, C)) / np.sqrt(C)
    upstreams = {"all ones": np.ones((3, C)), "random": rng.standard_normal((3, C))}
    for name, dout in upstreams.items():
        out, cache = residual_forward(x, W)
        by_formula = residual_backward(dout, cache)
        by_steps = numerical_gradient(lambda v, dout=dout: np.sum(dout * residual_forward(v, W)[0]), x)
        print(f"{name:>8}: largest relative error {max_relative_error(by_formula, by_steps):.2e}")

# %% [markdown]
# ## 9. Practice
#
# ### Exercise 1: weaken the attenuation
#
# Perhaps our plain stack was simply given bad weights? Take a bank with scale 0.9 instead of 0.5,
# all else as before, and measure the depths 1, 5, 10 and 20 again. What do you expect?
#
# Then answer two questions about your new table:
#
# 1. Does the column without skip paths still decay with depth?
# 2. Does the column with skip paths stay healthy, that is, does the gradient never fall below the
#    8 that entered?


# %% task="exercise_1"
def weakened_table() -> str:
    """The table of gradient norms for the bank of scale 0.9 at the depths 1, 5, 10 and 20."""
    ### BEGIN SOLUTION
    return gradient_table(weight_bank(0.9), [1, 5, 10, 20])
    ### END SOLUTION


def weakened_answers() -> tuple[bool, bool]:
    """What the table says, as (plain_decays, residual_healthy).

    plain_decays:      True if the column without skip paths still decays with depth
    residual_healthy:  True if the column with skip paths never falls below 8
    """
    ### BEGIN SOLUTION
    return True, True
    ### END SOLUTION


# %% grade="exercise_1"
check("exercise_1")

# %%
with needs(
    "sublayer_forward",
    "sublayer_backward",
    "run_stack",
    "weight_bank",
    "gradient_table",
    "weakened_table",
    "weakened_answers",
):
    print(weakened_table())
    print("plain decays: {}, residual healthy: {}".format(*weakened_answers()))

# %% [markdown]
# ### Exercise 2: two sublayers
#
# A Transformer block has two sublayers, attention and a feed-forward network, and each has its own
# skip path. Ours has two of our sublayers with different weights,
# $f(x) = \tanh(x W_f)$ and $g(h) = \tanh(h W_g)$:
#
# $$h = x + f(x), \qquad \text{out} = h + g(h).$$
#
# Write both directions. Before you write the backward pass, sketch the block on paper and walk it
# from right to left.
#
# *By hand,* with sublayers that are simpler than ours: let $f(x) = x / 2$ and $g(h) = 2h$. Then
# $h = 1.5\,x$ and $\text{out} = 3h = 4.5\,x$. Going back, `dout` $= 1$ is 3 at $h$, and $4.5$ at $x$: two
# sums, one after the other, and the second one starts from what the first has found.


# %% task="exercise_2"
def two_residual_forward(x, W_f, W_g):
    """Two residual sublayers, one after the other.

    x:         (B, T, C) or (B, C)
    W_f, W_g:  weights of the first and of the second sublayer, (C, C) each
    returns    (out, cache): out has x's shape, cache is whatever two_residual_backward needs
    """
    ### BEGIN SOLUTION
    h, cache_f = residual_forward(x, W_f)
    out, cache_g = residual_forward(h, W_g)
    return out, (cache_f, cache_g)
    ### END SOLUTION


def two_residual_backward(dout, cache):
    """The gradient of the two residual sublayers with respect to their input.

    dout:    gradient at the output, of its shape
    cache:   what two_residual_forward returned for this input
    returns  dx, of the input's shape
    """
    ### BEGIN SOLUTION
    cache_f, cache_g = cache
    dh = residual_backward(dout, cache_g)
    return residual_backward(dh, cache_f)
    ### END SOLUTION


# %% grade="exercise_2"
check("exercise_2")

# %% [markdown]
# You own a judge for this one, so use it.

# %%
with needs("two_residual_forward", "two_residual_backward", "numerical_gradient", "max_relative_error"):
    rng = np.random.default_rng(7)
    x, dout = rng.standard_normal((2, 3, 5)), rng.standard_normal((2, 3, 5))
    W_f, W_g = rng.standard_normal((5, 5)) / np.sqrt(5), rng.standard_normal((5, 5)) / np.sqrt(5)
    out, cache = two_residual_forward(x, W_f, W_g)
    by_formula = two_residual_backward(dout, cache)
    by_steps = numerical_gradient(lambda v: np.sum(dout * two_residual_forward(v, W_f, W_g)[0]), x)
    print(f"largest relative error {max_relative_error(by_formula, by_steps):.2e}")

# %% [markdown]
# ### Exercise 3: the preservation ratio
#
# How much of the gradient survives? Divide what arrives at the input of a residual stack by what
# entered at its top:
#
# $$r(N) = \frac{\lVert \partial L / \partial x_0 \rVert}{\lVert \partial L / \partial x_N \rVert}
# = \frac{\text{gradient norm at the input}}{8}.$$
#
# A gradient that arrives with the norm 12 has the ratio $12 / 8 = 1.5$.


# %% task="exercise_3"
def preservation_ratios(Ws, depths) -> list[float]:
    """The preservation ratio of residual stacks of several depths.

    Ws:      list of weights, each (16, 16)
    depths:  list of int
    returns  list of float, one ratio for each depth, in this order
    """
    ### BEGIN SOLUTION
    return [run_stack(N, True, Ws) / 8.0 for N in depths]
    ### END SOLUTION


# %% grade="exercise_3"
check("exercise_3")

# %%
with needs("sublayer_forward", "sublayer_backward", "run_stack", "weight_bank", "preservation_ratios"):
    for scale in (0.1, 0.3, 0.5):
        ratios = preservation_ratios(weight_bank(scale), [1, 5, 10, 20])
        print(f"scale {scale}:", "  ".join(f"{ratio:.3f}" for ratio in ratios))

# %% [markdown]
# ### Explain the highway
#
# A friend who knows the chain rule but not this lesson asks: *"Why should a plus sign save a
# gradient?"* Answer in your own words, in ten sentences or fewer, with formulas where they help:
#
# - Why does the product of $N$ Jacobians shrink like $\gamma^N$? What is $\gamma$, and which two
#   things make it smaller than 1 in our sublayer?
# - Why does the identity path not shrink with depth?
# - Where in your table do you see each of the two?

# %% [markdown] task="explain_highway"
# Without skip paths the gradient at the input is the gradient at the top times $J_N \cdots J_1$.
# Each factor multiplies the length of the gradient by some number; call its typical value
# $\gamma$. Lengths multiply, so after $N$ layers about $\gamma^N$ is left, which falls
# exponentially whenever $\gamma < 1$. In our sublayer
# $J = \mathrm{diag}(1 - \tanh^2 z)\, W^{\top}$
# (acting on row gradients from the right), so two things make $\gamma$ small: weights of
# scale 0.5 stretch a typical vector by 0.5 only, and the slope of tanh is at most 1 and smaller
# wherever $z \neq 0$. In the table the plain column falls from 2.8 to $8 \cdot 10^{-7}$ in 19
# layers, a factor of about 0.45 each.
#
# With a skip path each factor is $I + J$, because the derivative of $x$ with respect to $x$ is
# exactly the identity. Multiplying out $(I + J_N) \cdots (I + J_1)$ gives a sum over all ways
# through the stack: some go through many branches and fade, but one term is
# $I \cdot I \cdots I = I$. It has no factor that could shrink it, whatever $N$ is and whatever the weights are, so the
# top gradient arrives unchanged and the other terms are added to it. That is why the residual
# column never falls below 8: it grows from 8.7 to 25.6. (A branch could still cancel the identity
# by producing $-I$, but nothing drives it there at random, small weights.)

# %% [markdown]
# ## What you take along
#
# You derived, wrote and verified the piece of machinery that makes depth affordable: addition. In
# the next exercise the same block returns in PyTorch, with two linear layers and biases in its
# branch, and autograd does the bookkeeping. You will know what it is doing.
#
# To read on: K. He, X. Zhang, S. Ren and J. Sun, *Deep Residual Learning for Image Recognition*
# (2015), and the gated ancestor that gave this last question its name: R. K. Srivastava, K. Greff
# and J. Schmidhuber, *Highway Networks* (2015).

# %% [markdown]
# **Before you hand in,** save this notebook, take the `#` in the next cell away and run it. It runs the
# notebook from top to bottom in a new kernel, in a folder that holds what the grader has, and says what the grader
# would stumble over. `python checks.py` in a terminal does the same.

# %%
# from checks import before_handing_in; before_handing_in()
