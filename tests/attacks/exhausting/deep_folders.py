"""Nests folders deeper than programs that remove them expect."""
# says: three thousand folders deep

import os

for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
print("three thousand folders deep")
