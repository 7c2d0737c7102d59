"""Fills its folder: large files, then a sparse one, then copies."""
# says: No space left on device
# stopped by: namespaces limits

import os

block = bytes(1 << 20)
try:
    for number in range(20):
        with open(f"file{number}", "wb", buffering=0) as file:
            for _ in range(7):
                if file.write(block) < len(block):
                    file.write(block)
            os.posix_fallocate(file.fileno(), 0, 7 << 20)
    print("REACHED")
except OSError as error:
    print(error)
