"""Makes a pair of connected sockets, which is allowed, and sends from one of them to a program of the machine."""
# says: no one to speak to
# stopped by: namespaces landlock seccomp

import socket

for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
    for address in (DATAGRAM_SOCKET, ABSTRACT_SOCKET):
        for way in ("sendto", "sendmsg"):
            try:
                one, _ = socket.socketpair(socket.AF_UNIX, kind)
                one.sendto(b"secrets", address) if way == "sendto" else one.sendmsg([b"secrets"], [], 0, address)
                print("REACHED", address)
            except OSError as error:
                print(kind, way, type(error).__name__)
print("no one to speak to")
