"""Looks for other students' processes, for users who are logged in and for what the machine is called."""
# says: alone

import os

import psutil

others = [process for process in psutil.process_iter() if process.pid != os.getpid()]
if others:
    print("REACHED", others[:3])
try:
    if people := psutil.users():
        print("REACHED", people)
except (OSError, RuntimeError):
    pass
for way in (psutil.net_connections, psutil.net_if_addrs, psutil.disk_partitions, psutil.boot_time):
    try:
        found = str(way())
    except (OSError, psutil.Error):
        continue
    if "/home" in found or "127.0.0.1" in found or str(TCP_PORT) in found:
        print("REACHED", way.__name__, found)
print("alone")
