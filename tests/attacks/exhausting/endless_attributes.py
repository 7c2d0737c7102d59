"""Asks itself for an attribute to find an attribute, without end, with Python's own limit taken away."""
# task: total
# says: signal 11 | RecursionError

import sys

sys.setrecursionlimit(1 << 30)


class Total:
    def __getattr__(self, name):
        return getattr(self, name)
