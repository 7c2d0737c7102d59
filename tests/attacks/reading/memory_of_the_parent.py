"""Reads the memory of its parent and of the grader: through /proc, as a debugger, and with the call made for it."""
# says: no memory but its own
# no single layer stops this: a process without capabilities may not look into one that has them

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(16)


class Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def through_proc(number):
    with open(f"/proc/{number}/maps") as maps:
        start = next(int(line.split("-")[0], 16) for line in maps if " rw-p " in line)
    with open(f"/proc/{number}/mem", "rb") as memory:
        memory.seek(start)
        return memory.read(16)


def with_the_call(number):
    # Both were forked or started from one interpreter: its code lies at the same addresses in the parent.
    there = Vector(ctypes.cast(libc.getpid, ctypes.c_void_p).value, 16)
    here = Vector(ctypes.addressof(buffer), 16)
    if libc.process_vm_readv(number, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "process_vm_readv")
    return buffer.raw


def as_a_debugger(number):
    seize = 0x4206
    if libc.ptrace(seize, number, None, None) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return "seized"


for number in {os.getppid(), GRADER_PID} - {0, 1}:
    for way in (through_proc, with_the_call, as_a_debugger):
        try:
            found = way(number)
            print("REACHED", way.__name__, found)
        except (OSError, ValueError) as error:
            print(way.__name__, type(error).__name__)
print("no memory but its own")
