"""Loosens what it was put under: debugging by others, set-user programs, a filter that lets another process answer."""
# says: nothing is loosened
# stopped by: seccomp

import ctypes

libc = ctypes.CDLL(None, use_errno=True)
DEATH_SIGNAL, SUBREAPER, NO_NEW_PRIVILEGES, MAY_TRACE, MEMORY_MAP, SECCOMP = 1, 36, 38, 0x59616D61, 35, 317
for name, option, value in (
    ("dies with its parent", DEATH_SIGNAL, 0),
    ("adopts orphans", SUBREAPER, 1),
    ("may be traced by all", MAY_TRACE, -1),
    ("may get privileges", NO_NEW_PRIVILEGES, 0),
    ("maps its memory anew", MEMORY_MAP, 8),
):
    if libc.prctl(option, ctypes.c_long(value), 0, 0, 0) == 0:
        print("REACHED", name)
with_listener = 8
if libc.syscall(SECCOMP, 1, with_listener, None) >= 0 or ctypes.get_errno() not in (1, 38):
    print("REACHED a filter")
print("nothing is loosened")
