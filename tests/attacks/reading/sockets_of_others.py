"""Reads which sockets the machine's programs have, and where they lie."""
# says: no socket but its own
# stopped by: namespaces

import os

for name in ("unix", "tcp", "tcp6", "udp", "route", "arp", "dev", "netlink"):
    for folder in ("/proc/net", "/proc/self/net", f"/proc/{os.getpid()}/task/{os.getpid()}/net", "/proc/1/net"):
        try:
            text = open(f"{folder}/{name}").read()
        except OSError:
            continue
        marks = (UNIX_SOCKET, ABSTRACT_SOCKET[1:], f":{TCP_PORT:04X} ", f":{UDP_PORT:04X} ", "eth", "docker")
        if found := [mark for mark in marks if mark in text]:
            print("REACHED", name, found)
print("no socket but its own")
