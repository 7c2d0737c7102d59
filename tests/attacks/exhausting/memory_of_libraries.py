"""Gives back the address space of the libraries that were loaded for it, and takes as much real memory instead."""
# says: it used more memory than 256 MiB | it was not done after 1 seconds of computing
# stopped by: limits cgroup
# needs: cgroup

import ctypes

libc = ctypes.CDLL(None)
libc.munmap.argtypes = ctypes.c_void_p, ctypes.c_size_t
given_back = 0
for line in open("/proc/self/maps"):
    if "libtorch_cpu" in line or "libgfortran" in line or "libtorch_python" in line:
        start, end = (int(text, 16) for text in line.split()[0].split("-"))
        given_back += end - start if libc.munmap(start, end - start) == 0 else 0
pieces = []
try:
    for number in range(700):
        pieces.append(b"x" * (1 << 20))
        if number == 690:  # the group allows what a fork may copy on top of the limit
            print("REACHED")
except MemoryError:
    pass
print("gave back", given_back >> 20, "took", len(pieces))
