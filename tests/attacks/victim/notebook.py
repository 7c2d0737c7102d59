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


# %% task="total"
class Total:
    """What has been added up: `value`, a number, and `parts`, the numbers in their order."""

    def __init__(self, *parts):
        ### BEGIN SOLUTION
        self.parts, self.value = list(parts), sum(parts)
        ### END SOLUTION

    def add(self, number):
        """Add a number."""
        ### BEGIN SOLUTION
        self.parts.append(number)
        self.value += number
        ### END SOLUTION

    def __add__(self, other):
        """A new total of the parts of both."""
        ### BEGIN SOLUTION
        return Total(*self.parts, *other.parts)
        ### END SOLUTION

    def __len__(self):
        """How many parts there are."""
        ### BEGIN SOLUTION
        return len(self.parts)
        ### END SOLUTION

    def __iter__(self):
        """One part after the other, each as a total of its own."""
        ### BEGIN SOLUTION
        return (Total(part) for part in self.parts)
        ### END SOLUTION


# %% grade="total"
check("total")
