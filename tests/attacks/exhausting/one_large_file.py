"""Writes one file without end, and one that only claims to be large."""
# says: File too large
# stopped by: namespaces limits

import os

with open("sparse", "wb", buffering=0) as file:
    try:
        file.seek(100 << 20)
        file.write(b"x")
        os.truncate(file.fileno(), 200 << 20)
        print("REACHED")
    except OSError as error:
        print(error)
