# %% setup=true
import numpy as np
import torch

from checks import check, needs


# %% task="double"
def double(x):
    """Twice x, an array."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% grade="double"
check("double")


# %% task="apply"
def apply(x, function):
    """What the function says of x, plus one."""
    ### BEGIN SOLUTION
    return function(x) + 1
    ### END SOLUTION


# %% grade="apply"
check("apply")


# %% task="square"
def square(x):
    """The square of x, a tensor."""
    ### BEGIN SOLUTION
    return x * x
    ### END SOLUTION


# %% grade="square"
check("square")
