"""What students make of the starter `class`, wrongly: methods or a class in the places of the right ones."""

from __future__ import annotations

_METHOD = "class Scalar(Scalar):\n"

_WALK = """
    def backward(self):
        order = []
        def visit(scalar):
            if scalar not in order:
                for parent, _ in scalar.parents:
                    visit(parent)
                order.append(scalar)
        visit(self)
        for scalar in order:
            scalar.grad = 0.0
        self.grad = 1.0
        {loop}
"""


def _walked(loop: str) -> str:
    return _METHOD + _WALK.format(loop=loop)


SCALAR_MISTAKES = {
    "nothing is returned": _METHOD
    + """
    def __mul__(self, other):
        other = as_scalar(other)
        Scalar(self.data * other.data, [(self, other.data), (other, self.data)])
""",
    "a product is a plain number": _METHOD
    + """
    def __mul__(self, other):
        return self.data * as_scalar(other).data
""",
    "a number on the right is not taken": _METHOD
    + """
    def __add__(self, other):
        return Scalar(self.data + other.data, [(self, 1.0), (other, 1.0)])
""",
    "a number on the right has no place in the graph": _METHOD
    + """
    def __mul__(self, other):
        if not isinstance(other, Scalar):
            return Scalar(self.data * other)
        return Scalar(self.data * other.data, [(self, other.data), (other, self.data)])
""",
    "a difference adds up the gradients": _METHOD
    + """
    def __sub__(self, other):
        other = as_scalar(other)
        return Scalar(self.data - other.data, [(self, 1.0), (other, 1.0)])
""",
    "a difference is the wrong way round": _METHOD
    + """
    def __sub__(self, other):
        other = as_scalar(other)
        return Scalar(other.data - self.data, [(self, -1.0), (other, 1.0)])
""",
    "a number less a Scalar is the Scalar less the number": _METHOD
    + """
    def __rsub__(self, other):
        return self - other
""",
    "the slopes of a product are the factors' own": _METHOD
    + """
    def __mul__(self, other):
        other = as_scalar(other)
        return Scalar(self.data * other.data, [(self, self.data), (other, other.data)])
""",
    "only the first factor gets a gradient": _METHOD
    + """
    def __mul__(self, other):
        other = as_scalar(other)
        return Scalar(self.data * other.data, [(self, other.data)])
""",
    "a square has one parent": _METHOD
    + """
    def __mul__(self, other):
        other = as_scalar(other)
        return Scalar(self.data * other.data, list({self: other.data, other: self.data}.items()))
""",
    "the slope of tanh at its value": _METHOD
    + """
    def tanh(self):
        value = math.tanh(self.data)
        return Scalar(value, [(self, 1 - math.tanh(value) ** 2)])
""",
    "the slope of tanh without the square": _METHOD
    + """
    def tanh(self):
        value = math.tanh(self.data)
        return Scalar(value, [(self, 1 - value)])
""",
    "the slope of tanh at the input": _METHOD
    + """
    def tanh(self):
        return Scalar(math.tanh(self.data), [(self, 1 - self.data**2)])
""",
    "tanh changes the number itself": _METHOD
    + """
    def tanh(self):
        before = Scalar(self.data, self.parents)
        self.data = math.tanh(self.data)
        self.parents = [(before, 1 - self.data**2)]
        return self
""",
    "tanh is rounded": _METHOD
    + """
    def tanh(self):
        value = round(math.tanh(self.data), 4)
        return Scalar(value, [(self, 1 - value**2)])
""",
    "gradients are assigned": _walked(
        """for scalar in reversed(order):
            for parent, slope in scalar.parents:
                parent.grad = slope * scalar.grad"""
    ),
    "the order is not turned round": _walked(
        """for scalar in order:
            for parent, slope in scalar.parents:
                parent.grad += slope * scalar.grad"""
    ),
    "the chain rule is left out": _walked(
        """for scalar in reversed(order):
            for parent, slope in scalar.parents:
                parent.grad += slope"""
    ),
    "the slopes are added to the gradients": _walked(
        """for scalar in reversed(order):
            for parent, slope in scalar.parents:
                parent.grad += slope + scalar.grad"""
    ),
    "only one step back": _walked(
        """for parent, slope in self.parents:
            parent.grad += slope * self.grad"""
    ),
    "the own gradient is forgotten": _walked(
        """self.grad = 0.0
        for scalar in reversed(order):
            for parent, slope in scalar.parents:
                parent.grad += slope * (scalar.grad or 1.0)"""
    ),
    "each road is walked by itself": _METHOD
    + """
    def backward(self, grad=1.0):
        self.grad = grad
        for parent, slope in self.parents:
            parent.backward(slope * grad)
""",
    "each road is walked by itself, and adds up for ever": _METHOD
    + """
    def backward(self, grad=1.0):
        self.grad += grad
        for parent, slope in self.parents:
            parent.backward(slope * grad)
""",
    "numbers of equal value are taken for one": _METHOD
    + """
    def backward(self):
        order, seen = [], set()
        def visit(scalar):
            if scalar.data not in seen:
                seen.add(scalar.data)
                for parent, _ in scalar.parents:
                    visit(parent)
                order.append(scalar)
        visit(self)
        for scalar in order:
            scalar.grad = 0.0
        self.grad = 1.0
        for scalar in reversed(order):
            for parent, slope in scalar.parents:
                parent.grad += slope * scalar.grad
""",
    "the graph is used up by the first pass": _walked(
        """for scalar in reversed(order):
            for parent, slope in scalar.parents:
                parent.grad += slope * scalar.grad
            scalar.parents = []"""
    ),
    "one list of all numbers, gone through from its end": """
class Scalar(Scalar):
    made = []
    def __init__(self, data, parents=()):
        self.data, self.grad, self.parents = float(data), 0.0, list(parents)
        Scalar.made.append(self)
    def backward(self):
        for scalar in Scalar.made:
            scalar.grad = 0.0
        self.grad = 1.0
        for scalar in reversed(Scalar.made):
            for parent, slope in scalar.parents:
                parent.grad += slope * scalar.grad
""",
}
