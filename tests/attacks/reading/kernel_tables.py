"""Reads the kernel's log, addresses, memory and keys."""
# says: the kernel tells nothing
# stopped by: namespaces user landlock

import ctypes
import os

buffer = ctypes.create_string_buffer(4096)
read_all = 3
if ctypes.CDLL(None).klogctl(read_all, buffer, len(buffer)) > 0:
    print("REACHED the log")
for path in ("/dev/kmsg", "/proc/kmsg", "/dev/mem", "/proc/kcore", "/sys/kernel/notes", "/dev/vda", "/dev/sda"):
    try:
        print("REACHED", path, os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 1))
    except OSError:
        pass
for path in ("/proc/kallsyms", "/proc/iomem"):
    try:
        if any(int(line.split()[0].split("-")[0], 16) for line in list(open(path))[1:50]):
            print("REACHED", path)
    except OSError:
        pass
for folder in ("/sys/class/net", "/sys/class/dmi/id", "/sys/fs/cgroup", "/sys/kernel/debug", "/sys/module"):
    try:
        names = os.listdir(folder)
        print("REACHED", folder, len(names))
    except OSError:
        pass
print("the kernel tells nothing")
