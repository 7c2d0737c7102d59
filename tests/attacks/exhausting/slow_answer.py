"""Answers one byte in half a second, so that something is always on its way."""
# says: it was not done after 1 seconds of computing or 3 seconds of waiting

import os
import struct
import time


def double(x):
    os.write(3, struct.pack("!II", 1000, 1000))
    while True:
        os.write(3, b"[")
        time.sleep(0.5)
