"""Hands the grader open files over its own channel, and asks the kernel there who the grader is."""
# says: something that is no answer

import os
import socket
import struct

channel = socket.socket(fileno=os.dup(3))
pid, user, _ = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
try:
    os.kill(pid, 0)
    print("REACHED", pid, user)
except OSError:
    pass
for _ in range(20):
    try:
        socket.send_fds(channel, [b"x"], [0] * 100)
    except OSError:
        break
