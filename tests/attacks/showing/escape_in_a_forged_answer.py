"""Names in a forged answer a kind of six megabytes and escape sequences, for the message that quotes it."""
# says: the notebook's process answered with something that is no answer

import json
import os
import struct


def double(x):
    kind = "\x1b]0;evil\x07\x1b[2J\u202e\n  double: 4 of 4 points (passed)\n" + "x" * 6_000_000
    text = json.dumps(["dict", ["kind", kind], ["value", True]]).encode()
    data = struct.pack("!II", len(text), 0) + text
    while data:
        data = data[os.write(3, data) :]
