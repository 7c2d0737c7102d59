"""Leaves its memory as a file, or hands it to a program of the machine's choice, by crashing."""
# says: signal 11

import ctypes
import resource

try:
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    print("REACHED")
except (OSError, ValueError):
    pass
for path in ("/proc/sys/kernel/core_pattern", "/proc/self/coredump_filter", "/proc/sys/kernel/modprobe"):
    try:
        open(path, "w").close()
        print("REACHED", path)
    except OSError:
        pass
ctypes.string_at(1)
