"""Moves itself into another control group, or lifts the limits of its own."""
# says: FileNotFoundError
# stopped by: namespaces user landlock

import os

groups = [line.strip().split(":") for line in open("/proc/self/cgroup")]
places = [f"/sys/fs/cgroup/{names.removeprefix('name=')}" for _, names, _ in groups] + ["/sys/fs/cgroup"]
failures = set()
for place in places:
    for group in ("", *(path for _, _, path in groups)):
        try:
            with open(f"{place}{group}/cgroup.procs", "r+") as file:
                file.write(str(os.getpid()))
            print("REACHED", place, group)
        except OSError as error:
            failures.add(type(error).__name__)
        for name in ("memory.limit_in_bytes", "memory.max", "pids.max", "release_agent"):
            try:
                os.close(os.open(f"{place}{group}/{name}", os.O_WRONLY))
                print("REACHED", place, group, name)
            except OSError as error:
                failures.add(type(error).__name__)
print(*failures)
