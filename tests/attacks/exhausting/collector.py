"""Leaves objects behind that compute when they are destroyed, and functions that run when Python ends."""
# says: double: 0 of 4 points (failed)

import atexit
import sys
import threading


class Late:
    def __del__(self):
        while True:
            pass


kept = [Late() for _ in range(10)]
atexit.register(Late().__del__)
threading._register_atexit(Late().__del__)
sys.setswitchinterval(1000)
keeper = kept[-1]
sys.flags_of_mine = keeper


def double(x):
    return -x
