"""Changes modes, owners and times of files that belong to others."""
# says: asked in 6 ways
# stopped by: namespaces seccomp

import os

before = [os.stat(path) if os.path.exists(path) else None for path in (WRITABLE_FILE, GRADEBOOK)]
asked = 0
for way in (
    lambda: os.chmod(GRADEBOOK, 0o600),
    lambda: os.chmod(os.path.dirname(GRADEBOOK), 0o700),
    lambda: os.chown(GRADEBOOK, os.getuid(), os.getgid()),
    lambda: os.utime(WRITABLE_FILE, (0, 0)),
    lambda: os.utime(WRITABLE_FILE, (0, 0), follow_symlinks=False),
    lambda: os.chmod(f"/proc/self/fd/{os.open(WRITABLE_FILE, os.O_PATH)}", 0o600),
):
    asked += 1
    try:
        way()
    except OSError:
        pass
after = [os.stat(path) if os.path.exists(path) else None for path in (WRITABLE_FILE, GRADEBOOK)]
if before != after:
    print("REACHED", before, after)
print("asked in", asked, "ways")
