"""Speaks to a program of the machine through a socket that lies in a folder or has a name of its own."""
# says: no one to speak to
# stopped by: namespaces seccomp landlock

import socket

for kind, address in (
    (socket.SOCK_STREAM, UNIX_SOCKET),
    (socket.SOCK_DGRAM, DATAGRAM_SOCKET),
    (socket.SOCK_DGRAM, ABSTRACT_SOCKET),
    (socket.SOCK_DGRAM, "/dev/log"),
):
    try:
        with socket.socket(socket.AF_UNIX, kind) as one:
            one.connect(address)
            one.send(b"secrets")
            print("REACHED", address)
    except OSError as error:
        print(type(error).__name__)
print("no one to speak to")
