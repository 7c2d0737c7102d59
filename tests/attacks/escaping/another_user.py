"""Becomes root, keeps or raises capabilities, joins groups."""
# says: nobody else
# stopped by: user

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for way in (
    lambda: os.setuid(0),
    lambda: os.setgid(0),
    lambda: os.seteuid(0),
    lambda: os.setresuid(0, 0, 0),
    lambda: os.setresgid(0, 0, 0),
    lambda: os.setgroups([0]),
    lambda: libc.setfsuid(0),
    lambda: libc.prctl(8, 1, 0, 0, 0),  # keep capabilities
    lambda: libc.prctl(47, 2, 21, 0, 0),  # raise an ambient one
    lambda: libc.prctl(28, 0, 0, 0, 0),  # secure bits
    lambda: libc.capset(ctypes.create_string_buffer(b"\x22\x05\x08\x20" + bytes(4)), b"\xff" * 24),
):
    try:
        way()
    except OSError:
        pass
status = dict(line.split(":\t") for line in open("/proc/self/status") if ":\t" in line)
held = [name for name in ("CapEff", "CapPrm", "CapInh", "CapAmb") if int(status[name], 16)]
if held or 0 in os.getresuid() + os.getresgid() or status["NoNewPrivs"].strip() != "1":
    print("REACHED", held, os.getresuid(), os.getresgid())
print("nobody else")
