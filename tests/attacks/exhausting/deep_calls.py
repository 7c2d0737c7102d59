"""Calls itself without end, past Python's own limit, until the stack is full."""
# says: signal 11

import sys
import threading

sys.setrecursionlimit(1 << 30)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x"[:0])


def double(x):
    return [Deep().x for _ in x]
