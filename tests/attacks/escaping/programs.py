"""Starts programs: the shell, Python, one from memory, and at last in its own place."""
# says: PermissionError: [Errno 1] Operation not permitted
# stopped by: seccomp

import ctypes
import os
import pty
import subprocess
import sys

python = [sys.executable, "-c", "print('REACHED')"]


def from_memory():
    place = os.memfd_create("program")
    os.write(place, b"#!/bin/sh\necho REACHED\n")
    return os.spawnve(os.P_WAIT, f"/proc/self/fd/{place}", ["sh"], {})


for way in (
    lambda: subprocess.check_output(python, text=True),
    lambda: os.popen("echo REACHED").read(),
    lambda: os.waitpid(os.posix_spawn(sys.executable, python, {}), 0)[1] or "REACHED",
    lambda: pty.spawn(python) or "REACHED",
    lambda: ctypes.CDLL(None).system(b"exit 7") == 7 << 8 and "REACHED",
    from_memory,
):
    try:
        if said := way():
            print(said)
            break
    except (OSError, subprocess.SubprocessError) as error:
        print(type(error).__name__)
else:
    get_ipython().system("echo REACHED")
    os.execv(sys.executable, python)
