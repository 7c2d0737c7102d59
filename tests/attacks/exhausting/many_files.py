"""Makes twenty thousand files, folders and links, which need names and hardly a byte."""
# says: No space left on device

import os

try:
    for number in range(20_000):
        os.close(os.open(f"file{number}", os.O_CREAT | os.O_WRONLY))
    print("REACHED")
except OSError as error:
    print(error)
