"""Opens sockets of every family and kind, from Python and by a call of its own making."""
# says: 0 sockets
# stopped by: seccomp

import ctypes
import socket

opened = 0
libc = ctypes.CDLL(None)
for family in range(1, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        if libc.socket(family, kind, 0) >= 0:
            opened += 1
try:
    opened += len(socket.socketpair(socket.AF_INET))
except OSError:
    pass
if opened:
    print("REACHED")
print(opened, "sockets")
