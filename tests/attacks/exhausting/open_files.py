"""Opens everything ten thousand times: files, pipes, pairs of sockets, timers, event counters."""
# says: Too many open files
# stopped by: limits

import os
import select
import socket

kept = []
try:
    for _ in range(2500):
        kept += [os.open("/dev/null", os.O_RDONLY), *os.pipe(), *socket.socketpair(), select.epoll()]
    print("REACHED")
except OSError as error:
    print(error)
finally:
    kept.clear()
