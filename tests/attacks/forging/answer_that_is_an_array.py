"""Answers a call with an array where the grader takes the answer for a dictionary."""
# says: the notebook's process answered with something that is no answer

import json
import os
import struct


def double(x):
    text = json.dumps(["array", "float64", [1]]).encode()
    os.write(3, struct.pack("!II", len(text), 8) + text + bytes(8))
