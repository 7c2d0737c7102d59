"""Looks for files, folders and sockets that were open in the processes that it was forked from."""
# says: open: 0 1 2 3, all else closed

import fcntl
import os
import stat

found = []
for number in [*range(5000), 1 << 16, (1 << 20) - 1]:
    try:
        kind = os.fstat(number).st_mode
    except OSError:
        continue
    found.append(number)
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind) or stat.S_ISFIFO(kind) or (stat.S_ISSOCK(kind) and number != 3):
        print("REACHED", number, os.readlink(f"/proc/self/fd/{number}"), fcntl.fcntl(number, fcntl.F_GETFD))
        try:
            print("REACHED", os.pread(number, 100, 0))
        except OSError:
            pass
print("open:", *found, end=", ")
print("all else closed")
