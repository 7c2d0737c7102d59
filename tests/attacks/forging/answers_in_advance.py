"""Answers questions that were not asked yet, so that every later answer belongs to the question before."""
# says: the notebook's process answered with something that is no answer

import json
import os
import struct


def double(x):
    text = json.dumps(["dict", ["kind", "value"], ["value", ["array", "float64", list(x.shape)]]]).encode()
    for _ in range(3):
        os.write(3, struct.pack("!II", len(text), x.nbytes) + text + x.tobytes())
    return x
