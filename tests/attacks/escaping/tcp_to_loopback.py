"""Sends what it knows to a port of the machine."""
# says: PermissionError
# stopped by: namespaces seccomp landlock

import socket

socket.create_connection(("127.0.0.1", TCP_PORT), 2).sendall(b"secrets")
print("REACHED")
