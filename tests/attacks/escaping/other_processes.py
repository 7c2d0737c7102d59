"""Forks in seven ways, to have somebody who goes on when it is ended."""
# says: 0 children
# stopped by: seccomp

import ctypes
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Process

CLONE, CLONE3, FORK = (56, 435, 57) if os.uname().machine == "x86_64" else (220, 435, 220)
libc = ctypes.CDLL(None)


def raw(number, *arguments):
    child = libc.syscall(number, *arguments)
    if child == 0:
        os._exit(0)
    if child < 0:
        raise OSError
    return child


def with_multiprocessing():
    process = Process(target=os.getpid)
    process.start()
    process.join(2)


def plain(fork):
    child = fork()
    if (child[0] if isinstance(child, tuple) else child) == 0:
        os._exit(0)


children = 0
for way in (
    lambda: plain(os.fork),
    lambda: plain(os.forkpty),
    lambda: raw(FORK, signal.SIGCHLD, 0, 0, 0, 0),
    lambda: raw(CLONE, signal.SIGCHLD, 0, 0, 0, 0),
    lambda: raw(CLONE3, (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD), 64),
    with_multiprocessing,
    lambda: ProcessPoolExecutor(1).submit(os.getpid).result(2),
):
    try:
        way()
        children += 1
    except Exception as error:
        print(type(error).__name__)
if children:
    print("REACHED")
print(children, "children")
