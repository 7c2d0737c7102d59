"""Makes namespaces of its own, in which it is root, or enters those of others."""
# says: 0 namespaces
# stopped by: seccomp

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
user, mounts, processes, network, ipc, names, groups, clocks = (
    1 << 28, 1 << 17, 1 << 29, 1 << 30, 1 << 27, 1 << 26, 1 << 25, 1 << 7
)
made = 0
for number in (os.getppid(), 1):
    for kind in ("mnt", "net", "pid", "user", "cgroup"):
        try:
            made += libc.setns(os.open(f"/proc/{number}/ns/{kind}", os.O_RDONLY), 0) == 0
        except OSError:
            pass
for flags in (mounts, processes, network, ipc, names, groups, clocks, user | mounts, user):
    made += libc.unshare(flags) == 0
if made:
    print("REACHED", made)
print(made, "namespaces")
