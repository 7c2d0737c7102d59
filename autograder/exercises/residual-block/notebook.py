# %% [markdown]
# # The residual block
#
# A deep network is a long chain, and a gradient has to walk the whole way back. Every layer
# it crosses may shrink it a little. The residual block is the smallest idea that changes
# this: *keep what came in, and only learn what to add.*
#
# In this lesson you write one block in torch, look at the gradient that its input receives,
# take its derivative apart into two pieces, and then pile blocks up until the difference
# between "with" and "without" can be seen from across the room.
#
# After a restart of the kernel, run all cells from the top again. `check()` shows how far you are.
# And `grad_check(f, df, x)`, which `from checks import grad_check` brings, holds any gradient that you
# derive by hand against the slopes of its function: `f` takes a float64 tensor like `x` and returns one
# number, `df` returns the gradient. It says which entry is off and by how much.
#
# **What is there when it is graded.** Python's standard library, NumPy, Matplotlib and PyTorch, and
# the files beside this notebook; no other packages, no network, no other processes. A function
# must leave what it is given, and torch's modes, as it found them, and it must work for every input
# that its docstring allows. The first cell ends with four small functions with which such inputs
# can be made and such traces be found; the final grade uses them, too.

# %% setup=true
import matplotlib.pyplot as plt
import torch
from checks import check, needs


def laid_out(x, layout):
    """The same numbers in another layout of memory: "columns" is transposed, "steps" is every other place."""
    if layout == "columns":
        backwards = tuple(reversed(range(x.ndim)))
        return x.permute(backwards).contiguous().permute(backwards)
    return x.repeat_interleave(2, dim=-1)[..., ::2]


def overwrite(x, numbers):
    """Write other numbers into x."""
    with torch.no_grad():
        x.copy_(numbers)


def traces_on(x):
    """Whether x requires a gradient, and whether it has one."""
    return x.requires_grad, x.grad is not None


def modes_after(name, *arguments):
    """Whether a call of your function of this name changes torch's grad mode, default dtype, random state."""
    before = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_rng_state()
    globals()[name](*arguments)
    after = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_rng_state()
    return before[0] != after[0], before[1] != after[1], not torch.equal(before[2], after[2])


# %% [markdown]
# ## 1. What a block computes
#
# The block has two paths. The **branch** is a small network of two layers; the **skip** is
# nothing at all, just $x$ itself. At the end they are added:
#
# $$
# h = \mathrm{relu}(x W_1 + b_1), \qquad
# \mathrm{branch} = h W_2 + b_2, \qquad
# \mathrm{out} = x + \mathrm{branch}
# $$
#
# Read the shapes before you write any code:
#
# | quantity | shape | in words |
# |---|---|---|
# | $x$ | `(batch, d_model)` | what comes in |
# | $W_1$, $b_1$ | `(d_model, d_ff)`, `(d_ff,)` | widen |
# | $h$ | `(batch, d_ff)` | the hidden layer, never negative |
# | $W_2$, $b_2$ | `(d_ff, d_model)`, `(d_model,)` | come home |
# | branch, out | `(batch, d_model)` | as wide as $x$ |
#
# In the middle the branch may be as wide as it likes. But it must come home to `d_model`,
# because an element-wise sum needs two partners of the same shape.
#
# Vectors are rows here, so a layer is `x @ w`, not `w @ x`. "Batch" may be no axis at all
# (one vector), one axis, or several, such as batch and time: the same code should serve all
# of them. And leave the inputs as you found them, because someone may still need `x`.
#
# *By hand:* $x = (1, -1)$, both biases zero but $b_2 = (0.5, 0)$, and
#
# $$
# W_1 = \begin{pmatrix} 1 & 2 \\ 3 & 1 \end{pmatrix}, \qquad
# W_2 = \begin{pmatrix} 1 & 1 \\ 2 & -1 \end{pmatrix}.
# $$
#
# $x W_1 = (1 - 3,\; 2 - 1) = (-2, 1)$, so $h = (0, 1)$: the first hidden unit is asleep. The branch is
# $h W_2 + b_2 = (2, -1) + (0.5, 0) = (2.5, -1)$, and $\mathrm{out} = (3.5, -2)$.


# %% task="residual_block"
def residual_block(x, w1, b1, w2, b2):
    """One residual block: x plus a two-layer ReLU branch.

    x:  (..., d_model)     any number of batch axes in front, also none
    w1: (d_model, d_ff)    b1: (d_ff,)
    w2: (d_ff, d_model)    b2: (d_model,)

    Returns out, of the shape and dtype of x. No input is modified, and gradients can flow
    from out to all five inputs.
    """
    ### BEGIN SOLUTION
    h = torch.relu(x @ w1 + b1)
    branch = h @ w2 + b2
    return x + branch
    ### END SOLUTION


# %% [markdown]
# Two rows of width 4 go in, pass through a hidden layer of width 8, and two rows of width 4
# come out:

# %%
with needs("residual_block"):
    x, w1, b1 = torch.randn(2, 4), torch.randn(4, 8), torch.randn(8)
    w2, b2 = torch.randn(8, 4), torch.randn(4)
    print(residual_block(x, w1, b1, w2, b2).shape)

# %% grade="residual_block"
check("residual_block")

# %% [markdown]
# ## 2. What the input hears
#
# Now go backwards. Write $\bar{v}$ for the gradient of the loss with respect to a quantity
# $v$. In the forward pass $x$ is used twice, once by each path, so on the way back it
# receives two messages, and they add up:
#
# $$
# \bar{x} \;=\; \underbrace{\overline{\mathrm{out}}}_{\text{along the skip}}
# \;+\; \underbrace{\overline{\mathrm{out}} \;
# \frac{\partial\, \mathrm{branch}}{\partial x}}_{\text{through the branch}}
# $$
#
# The second message has been through two matrices and a ReLU, and may be loud, faint or
# garbled. The first one has been through nothing.
#
# Let us turn the branch down and listen. Below, $W_2$ and $b_2$ are multiplied by a volume
# that goes to zero. The upstream gradient is all ones (that is what `out.sum().backward()`
# sends), so whatever differs from one in `x.grad` came through the branch. *Guess first:* what
# will be left of the difference when the volume is 0, and does $W_2$ hear anything then?


# %%
def listen(volume, seed=0):
    """Print what the block does to x, and x.grad to ones, with the branch at this volume."""
    rng = torch.Generator().manual_seed(seed)
    x, w1, b1 = (torch.randn(s, generator=rng) for s in [(2, 4), (4, 8), (8,)])
    w2, b2 = (volume * torch.randn(s, generator=rng) for s in [(8, 4), (4,)])
    for leaf in (x, w2):
        leaf.requires_grad_()

    out = residual_block(x, w1, b1, w2, b2)
    out.sum().backward()
    print(
        f"volume {volume:6}   max|out - x| = {(out - x).abs().max().item():.3e}"
        f"   max|x.grad - 1| = {(x.grad - 1).abs().max().item():.3e}"
        f"   |w2.grad| = {w2.grad.norm().item():.3f}"
    )


with needs("residual_block"):
    for volume in [1, 0.1, 0.01, 0.001, 0]:
        listen(volume)

# %% [markdown]
# ## 3. Silence
#
# Look at the last line. With $W_2 = 0$ and $b_2 = 0$ the two differences are not small,
# they are **zero**: `out` is `x` bit for bit, and `x.grad` is `torch.ones_like(x)` bit for
# bit. Change the seed, multiply $W_1$ by a thousand: nothing moves.
#
# The last column has a surprise too. The branch says nothing, and still $W_2$ receives a
# gradient, so it will start to speak at the first step of training. That is why people like
# to start deep networks this way: at birth every block is the identity, the whole stack is
# transparent, and each block fades in only as far as it is useful.
#
# There is nothing new to write here. The check takes the block you already have, silences
# its branch, and looks for bit-for-bit equality, with all-ones and with random upstream
# gradients. All-ones alone would be a weak witness: a gradient that is stuck at one would
# pass it.

# %% grade="identity_gradient"
check("identity_gradient")

# %% [markdown]
# ## 4. The derivative in two pieces
#
# For a single vector $x$ of width $d$, the derivative of the block is a $d \times d$ matrix,
# its **Jacobian**. Row $j$ belongs to output $j$, column $i$ to input $i$:
#
# $$
# J_{ji} = \frac{\partial\, \mathrm{out}_j}{\partial x_i}, \qquad
# J = I + J_{\mathrm{branch}}, \qquad
# (J_{\mathrm{branch}})_{ji} = \frac{\partial\, \mathrm{branch}_j}{\partial x_i}
# $$
#
# The identity matrix $I$ is the skip path; everything learned sits in the second piece.
# Write a function that returns the two pieces separately.
#
# How you find $J_{\mathrm{branch}}$ is up to you. You may ask autograd, a row at a time or
# through `torch.autograd.functional.jacobian`. Or take a pencil: between its kinks a ReLU
# lets each hidden unit either through or not, and for a given $x$ the branch is then two
# matrices with a row of zeros and ones in between. The pencil way takes three lines, and
# you will want the formula in section 6.
#
# *By hand,* with the numbers of section 1: there only the second hidden unit is awake. Raise $x_1$ by a
# small $\delta$: that unit rises by $2\delta$, and the branch by $2\delta \cdot (2, -1)$, so the first
# column of $J_{\mathrm{branch}}$ is $(4, -2)$. Raise $x_2$ by $\delta$: the unit rises by $\delta$, and
# the second column is $(2, -1)$. Together with the skip path,
#
# $$
# J = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix} + \begin{pmatrix} 4 & 2 \\ -2 & -1 \end{pmatrix}
# = \begin{pmatrix} 5 & 2 \\ -2 & 0 \end{pmatrix}.
# $$


# %% task="jacobian"
def residual_jacobian(x, w1, b1, w2, b2):
    """The Jacobian of a residual block at one vector x, as its two pieces.

    x: (d_model,), the weights as in residual_block. No input is modified.

    Returns (identity, branch_jacobian), both (d_model, d_model) and of the dtype of x.
    branch_jacobian[j, i] is the derivative of branch[j] with respect to x[i], and
    identity + branch_jacobian is the Jacobian of the whole block.
    """
    ### BEGIN SOLUTION
    identity = torch.eye(x.shape[0], dtype=x.dtype)
    awake = (x @ w1 + b1 > 0).to(x.dtype)
    branch_jacobian = ((w1 * awake) @ w2).T
    return identity, branch_jacobian
    ### END SOLUTION


# %% grade="jacobian"
check("jacobian")

# %% [markdown]
# Here are your two pieces and their sum, for a branch of the modest size that a network has
# early in training. The bright diagonal is the skip path.

# %%
with needs("residual_jacobian"):
    rng = torch.Generator().manual_seed(3)
    shapes = [(12,), (12, 24), (24,), (24, 12), (12,)]
    x, w1, b1, w2, b2 = (torch.randn(s, generator=rng) for s in shapes)
    identity, branch = residual_jacobian(x, 0.2 * w1, b1, 0.2 * w2, b2)

    fig, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
    panels = {"identity": identity, "branch": branch, "identity + branch": identity + branch}
    for ax, (title, matrix) in zip(axes, panels.items(), strict=True):
        image = ax.imshow(matrix.detach(), vmin=-1.5, vmax=1.5, cmap="RdBu_r")
        ax.set(title=title, xticks=[], yticks=[])
    fig.colorbar(image, ax=axes)
    plt.show()

# %% [markdown]
# ## 5. Pile them up
#
# One block is polite. The real question is what happens after twenty. By the chain rule the
# Jacobian of a stack is the product of the Jacobians of its blocks:
#
# $$
# \text{without the skip:}\quad J_N \cdots J_2 J_1
# \qquad\qquad
# \text{with it:}\quad (I + J_N) \cdots (I + J_2)(I + J_1)
# $$
#
# Here $J_n$ is the Jacobian of branch $n$, taken at the input that reaches block $n$. If
# every $J_n$ shrinks a vector to a third, twenty of them leave about
# $3^{-20} \approx 3 \cdot 10^{-10}$ of it. What the second product does, you are about to
# measure.
#
# Send $x$ through the blocks in order, each with its own parameters. With the skip a block
# hands on $h + \mathrm{branch}(h)$, without it only $\mathrm{branch}(h)$, where $h$ is what
# the block before handed on. Sum up all entries of the final output, take the gradient of
# that sum with respect to the input of the **first** block, and return its norm, the square
# root of the sum of squares over all entries:
#
# $$
# \Big\| \frac{\partial}{\partial x} \sum \mathrm{out} \Big\|
# = \sqrt{\sum_k \bar{x}_k^{\,2}}
# $$
#
# *By hand:* let $x$ be a single number and let both branches of a stack of two multiply it by
# $\tfrac13$. Without the skip the gradient is $\tfrac13 \cdot \tfrac13 = \tfrac19$, with it
# $\tfrac43 \cdot \tfrac43 = \tfrac{16}{9}$.


# %% task="stack_gradient"
def stack_input_gradient(x, params, residual):
    """How strong the gradient is that reaches the input of a stack of blocks.

    x:        (..., d_model)
    params:   a list of N tuples (w1, b1, w2, b2), one for each block, first block first;
              the empty list is a stack that returns x
    residual: True for blocks with the skip, False for the branches alone

    Returns a Python float: the Euclidean norm, over all entries of x, of the gradient of
    out.sum() with respect to x. Neither x nor params is changed, so that calling it twice
    gives the same number twice.
    """
    ### BEGIN SOLUTION
    start = x.detach().clone().requires_grad_()
    h = start
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient.norm().item()
    ### END SOLUTION


# %% grade="stack_gradient"
check("stack_gradient")

# %% [markdown]
# And now the picture. The vertical axis is logarithmic: a straight line that goes down is a
# gradient that is *divided* by the same factor at every block. Before you run the cell, sketch the
# two curves as you expect them.


# %%
def random_params(n_blocks, scale=0.7, d_model=16, d_ff=32, seed=0):
    """Parameters for a stack: n_blocks tuples (w1, b1, w2, b2)."""
    rng = torch.Generator().manual_seed(seed)
    return [
        (
            torch.randn(d_model, d_ff, generator=rng) * scale / d_model**0.5,
            torch.randn(d_ff, generator=rng) * 0.1,
            torch.randn(d_ff, d_model, generator=rng) * scale / d_ff**0.5,
            torch.randn(d_model, generator=rng) * 0.1,
        )
        for _ in range(n_blocks)
    ]


with needs("stack_input_gradient"):
    x = torch.randn(4, 16, generator=torch.Generator().manual_seed(1))
    params = random_params(20)
    depths = range(1, 21)
    plain = [stack_input_gradient(x, params[:n], residual=False) for n in depths]
    skip = [stack_input_gradient(x, params[:n], residual=True) for n in depths]

    print(f"{'blocks':>6} | {'without skip':>12} | {'with skip':>9}")
    for n in (1, 5, 10, 20):
        print(f"{n:>6} | {plain[n - 1]:>12.1e} | {skip[n - 1]:>9.1f}")

    plt.figure(figsize=(6, 3.5), layout="constrained")
    plt.semilogy(depths, skip, "o-", label="with the skip")
    plt.semilogy(depths, plain, "s-", label="without")
    plt.axhline(x.numel() ** 0.5, color="gray", linestyle=":", label="no block at all")
    plt.xlabel("number of blocks")
    plt.xticks(range(0, 21, 5))
    plt.ylabel("gradient norm at the input")
    plt.legend()
    plt.show()

# %% [markdown]
# Play with `scale` in the cell above. Somewhere near 1.2 the plain stack hardly shrinks:
# careful initialisation can hold a gradient up too. Go further and see which of the two
# curves objects first. The skip is a cure for vanishing, not for everything.

# %% [markdown]
# ## 6. In your own words
#
# Two questions, half a page in all. Formulas are welcome, and so are plain sentences.
#
# 1. Derive the decomposition $J = I + J_{\mathrm{branch}}$ from
#    $\mathrm{out} = x + \mathrm{branch}(x)$, and write $J_{\mathrm{branch}}$ in terms of
#    $W_1$, $W_2$ and the ReLU. What does it become for $W_2 = 0$, and what is then the
#    gradient that $x$ receives for an upstream gradient $g$?
# 2. In section 3 `x.grad` was *exactly* one, on a computer that rounds nearly everything.
#    Why is the identity in $J$ exact and not approximate? Say also what this buys a stack
#    of $N$ blocks.

# %% [markdown] task="explain_jacobian"
# **1.** Component $j$ of the output is $\mathrm{out}_j = x_j + \mathrm{branch}_j(x)$. Its
# derivative with respect to $x_i$ is $\delta_{ji} + \partial\,\mathrm{branch}_j / \partial x_i$,
# because $x_j$ depends on $x_i$ only where $i = j$, and there with slope 1. As matrices:
# $J = I + J_{\mathrm{branch}}$.
#
# For the branch let $z = x W_1 + b_1$, and let $D$ be the diagonal matrix with
# $D_{kk} = 1$ where $z_k > 0$ and $0$ elsewhere. Then
# $\partial\,\mathrm{branch}_j / \partial x_i = \sum_k (W_1)_{ik} D_{kk} (W_2)_{kj}$, that is
# $J_{\mathrm{branch}} = (W_1 D W_2)^\top = W_2^\top D\, W_1^\top$. The bias $b_2$ does not
# appear, and $b_1$ only decides which units are awake.
#
# With $W_2 = 0$ the product is the zero matrix whatever $W_1$ and $b_1$ are, so $J = I$. An
# upstream gradient $g$ (a row) becomes $g J = g + g J_{\mathrm{branch}} = g$. For all ones it
# is all ones.
#
# **2.** The $I$ is not estimated, learned or computed from data. It is the derivative of
# $x \mapsto x$, and it is 1 at every point, for every weight, because the map is linear: no
# higher-order term has been dropped, and no step size had to be small. In the computer the
# skip path is a copy of $g$, with no multiplication that could round. What arrives through
# the silent branch are products with zero and sums of zeros, which are exactly zero in
# floating point, and $g + 0 = g$ without rounding. With $W_2 \neq 0$ the second piece is
# rounded as usual; the first one still arrives whole.
#
# For a stack, $(I + J_N) \cdots (I + J_1)$ multiplied out is a sum over all subsets of
# blocks, and the empty subset contributes exactly $I$ at any depth. So there is always one
# path along which the gradient arrives unchanged, however small the $J_n$ are. Without the
# skip only the single product $J_N \cdots J_1$ is left; if each factor shrinks vectors by
# $\gamma < 1$ or more, it is at most $\gamma^N$. The other paths are added to $I$, so they can
# still partly cancel it or make the gradient grow: the skip keeps the signal alive, it does
# not promise that its norm stays constant.

# %% [markdown]
# **Before you hand in,** save this notebook, take the `#` in the next cell away and run it. It runs the
# notebook from top to bottom in a new kernel, in a folder that holds what the grader has, and says what the grader
# would stumble over. `python checks.py` in a terminal does the same.

# %%
# from checks import before_handing_in; before_handing_in()
