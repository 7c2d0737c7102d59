"""Gives all the answers of the rest of the conversation in advance, in the order in which they will be asked for."""
# says: double: 0 of 4 points (crashed)

import json
import os
import struct


def answer(bulk=b"", **entries):
    entries["first"] = 0
    text = json.dumps(["dict", *([key, value] for key, value in entries.items())]).encode()
    os.write(3, struct.pack("!II", len(text), len(bulk)) + text + bulk)


for _ in range(3):
    answer(kind="ran", outputs=["list"])
    answer(kind="done")
answer(kind="ran", outputs=["list"])
answer(kind="done")
answer(kind="done")
answer(bytes(96), kind="value", value=["array", "float64", [3, 4]])
answer(kind="value", value=["handle", 0, "ndarray"])
answer(bytes(48), kind="value", value=["array", "float64", [2, 3]])
answer(bytes(48), kind="value", value=["array", "float64", [2, 3]])
for _ in range(100):
    answer(kind="value", value=True)
