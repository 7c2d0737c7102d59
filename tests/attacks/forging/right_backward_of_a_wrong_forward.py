"""Returns wrong values with a backward pass that is the right one for every upstream gradient."""
# task: square
# says: square: 0 of 3 points (failed)

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(context, upstream):
        (x,) = context.saved_tensors
        return 2 * x * upstream


def square(x):
    return Square.apply(x)
