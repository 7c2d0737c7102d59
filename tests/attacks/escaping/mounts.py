"""Mounts, unmounts, makes writable and leaves the folders that it was shut into."""
# says: every mount is as it was

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
RDONLY, REMOUNT, BIND, DETACH, HERE, CLONE = 1, 32, 4096, 2, -100, 1
OPEN_TREE, MOVE_MOUNT, FSOPEN, FSMOUNT, MOUNT_SETATTR, PIVOT_ROOT = 428, 429, 430, 432, 442, 155
home = os.getcwd().encode()
ways = {
    "new": lambda: libc.mount(b"none", home, b"no-such-system", 0, None),
    "writable": lambda: libc.mount(None, b"/", None, REMOUNT | BIND, None),
    "bind": lambda: libc.mount(b"/", home, None, BIND, None),
    "unmount": lambda: libc.umount2(home, DETACH),
    "uncover": lambda: libc.umount2(b"/proc", DETACH),
    "pivot": lambda: libc.syscall(PIVOT_ROOT, b".", b"."),
    "chroot": lambda: libc.chroot(b"."),
    "tree": lambda: libc.syscall(OPEN_TREE, HERE, b"/", CLONE),
    "move": lambda: libc.syscall(MOVE_MOUNT, HERE, b"/proc", HERE, home, 0),
    "system": lambda: libc.syscall(FSOPEN, b"tmpfs", 0),
    "attributes": lambda: libc.syscall(MOUNT_SETATTR, HERE, b"/", 0, bytes(32), 32),
}
REFUSED = {1, 13, 38}  # not permitted, permission denied, no such call: all else means that the kernel took it up
for name, way in ways.items():
    if way() >= 0 or ctypes.get_errno() not in REFUSED:
        print("REACHED", name, ctypes.get_errno())
print("every mount is as it was")
