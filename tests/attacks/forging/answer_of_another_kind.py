"""Answers a call with the answer to another question, which says that all is done."""
# says: the notebook's process answered with something that is no answer

import json
import os
import struct


def double(x):
    for kind in (
        ["dict", ["kind", "done"]],
        ["dict", ["kind", "ran"], ["outputs", ["list"]], ["failed", False]],
        ["dict", ["kind", "passed"], ["value", True]],
    ):
        text = json.dumps(kind).encode()
        os.write(3, struct.pack("!II", len(text), 0) + text)
