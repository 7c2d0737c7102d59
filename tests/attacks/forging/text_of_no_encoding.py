"""Answers with bytes that are no UTF-8, which a careless reader does not expect."""
# says: the structure is not JSON

import os
import struct


def double(x):
    text = b'["dict",["kind","value"],["value","\xff\xfe\x80"]]'
    os.write(3, struct.pack("!II", len(text), 0) + text)
