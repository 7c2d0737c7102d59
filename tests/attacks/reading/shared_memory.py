"""Looks for memory, queues and semaphores that other programs share, and for mappings shared with its parent."""
# says: nothing is shared
# stopped by: seccomp

import ctypes
import os
from multiprocessing import shared_memory

libc = ctypes.CDLL(None, use_errno=True)
private, create, remove = 0, 0o1600, 0


def segment():
    number = libc.shmget(private, 4096, create)
    if number < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    return number, libc.shmctl(number, remove, None)


def queue():
    number = libc.mq_open(b"/attacked", os.O_RDWR | os.O_CREAT, 0o600, None)
    if number < 0:
        raise OSError(ctypes.get_errno(), "mq_open")
    return number, libc.mq_unlink(b"/attacked")


def named():
    memory = shared_memory.SharedMemory("attacked", create=True, size=4096)
    memory.close()
    return memory.unlink()


def listed():
    return os.listdir("/dev/shm"), os.listdir("/dev/mqueue")


for way in (segment, queue, named, listed):
    try:
        found = way()
        print("REACHED", way.__name__, found)
    except OSError as error:
        print(way.__name__, type(error).__name__)
for table in ("shm", "msg", "sem"):
    if os.path.exists(f"/proc/sysvipc/{table}") and len(list(open(f"/proc/sysvipc/{table}"))) > 1:
        print("REACHED", table)
for line in open("/proc/self/maps"):
    if line.split()[1].startswith("rw") and line.split()[1].endswith("s"):
        print("REACHED", line)
print("nothing is shared")
