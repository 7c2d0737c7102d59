"""Reads root, folder, open files, environment, command line and memory maps of every process that /proc shows."""
# says: nobody but 1
# stopped by: namespaces user landlock

import os

numbers = {int(name) for name in os.listdir("/proc") if name.isdigit()} if os.access("/proc", os.R_OK) else set()
numbers |= {GRADER_PID, os.getppid()}
others = set()
for number in sorted(numbers - {os.getpid(), 0})[:300]:
    for name in ("environ", "cmdline", "maps"):
        try:
            if open(f"/proc/{number}/{name}", "rb").read(100):
                others.add(number)
        except OSError:
            pass
    for name in ("root", "cwd"):
        try:
            others |= {number} if os.listdir(f"/proc/{number}/{name}/") else set()
        except OSError:
            pass
    try:
        for descriptor in os.listdir(f"/proc/{number}/fd"):
            if number == GRADER_PID and os.path.isfile(f"/proc/{number}/fd/{descriptor}"):
                text = open(f"/proc/{number}/fd/{descriptor}", "rb").read(100)
                print("REACHED", descriptor, text)
    except OSError:
        pass
if others:
    print("REACHED", len(others))
print("nobody but", os.getpid())
