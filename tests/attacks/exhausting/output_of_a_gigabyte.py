"""Prints a gigabyte, in one go, in lines, in figures, and past Python to the descriptors themselves."""
# says: more output than a graded cell may have

import os
import sys

text = "y" * (1 << 24)
for _ in range(30):
    print(text)
    print(text, file=sys.stderr)
for _ in range(1000):
    display({"text/plain": text}, raw=True)
    display({"text/html": text, "image/png": b"y" * 1000}, raw=True)
for number in (1, 2):
    for _ in range(30):
        os.write(number, bytes(1 << 24))
