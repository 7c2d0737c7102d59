"""Sends UDP to a port of the machine."""
# says: PermissionError
# stopped by: namespaces seccomp

import socket

for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1"), (socket.AF_INET, "0.0.0.0")):
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.sendto(b"secrets", (address, UDP_PORT))
            print("REACHED", address)
    except OSError as error:
        print(type(error).__name__)
