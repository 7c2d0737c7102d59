"""Reads where no memory is."""
# says: it ended the notebook's process (signal 11)

import ctypes


def double(x):
    ctypes.memset(0, 1, 1 << 20)
