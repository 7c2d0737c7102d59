"""Raises its limits, and those of its parent."""
# says: 0 limits raised
# stopped by: limits

import os
import resource

raised = []
for name in ("AS", "CPU", "FSIZE", "NOFILE", "NPROC", "CORE"):
    kind = getattr(resource, f"RLIMIT_{name}")
    soft, hard = resource.getrlimit(kind)
    for value in (resource.RLIM_INFINITY, hard + 1 if hard > 0 else 1):
        for way in (resource.setrlimit, lambda *args: resource.prlimit(0, *args)):
            try:
                way(kind, (value, value))
            except (OSError, ValueError):
                pass
    if resource.getrlimit(kind)[1] > hard >= 0 or (name == "AS" and hard == resource.RLIM_INFINITY):
        raised.append(name)
for number in {os.getppid(), GRADER_PID} - {0}:
    try:
        raised.append(resource.prlimit(number, resource.RLIMIT_CORE))
    except (OSError, ValueError):
        pass
if raised:
    print("REACHED", raised)
print(len(raised), "limits raised")
