"""Answers with a hundred thousand brackets, which overflow the stack of a recursive reader."""
# says: the notebook's process answered with something that is no answer

import os
import struct


def double(x):
    text = b'["list",' * 100_000 + b"0" + b"]" * 100_000
    data = struct.pack("!II", len(text), 0) + text
    while data:
        data = data[os.write(3, data) :]
