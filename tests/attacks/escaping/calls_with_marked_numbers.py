"""Makes system calls by the numbers of the x32 interface, which are the usual ones with a bit set."""
# says: signal 31

import ctypes

libc = ctypes.CDLL(None, use_errno=True)
x32, socket, clone = 0x40000000, 41, 56
print("called:", libc.syscall(ctypes.c_long(x32 + socket), 2, 1, 0), libc.syscall(ctypes.c_long(x32 + clone), 17, 0, 0))
