"""Makes a device of its own that stands for the disk, or memory, or the terminal."""
# says: no device

import os
import stat

for kind, major, minor in ((stat.S_IFBLK, 254, 0), (stat.S_IFBLK, 8, 0), (stat.S_IFCHR, 1, 1), (stat.S_IFCHR, 5, 0)):
    try:
        os.mknod("device", kind | 0o600, os.makedev(major, minor))
        os.unlink("device")
        print("REACHED", major, minor)
    except OSError:
        pass
for name in ("tty", "console", "ptmx", "mem", "kvm", "fuse", "net/tun", "loop-control", "dri", "nvidia0", "vda", "shm"):
    try:
        os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        print("REACHED", name)
    except OSError:
        pass
try:
    os.mkfifo("pipe")
    print("REACHED a pipe with a name")
except OSError:
    pass
print("no device")
