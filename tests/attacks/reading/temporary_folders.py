"""Lists and reads the temporary files of the grader, of other students and of everybody else."""
# says: no temporary file but its own
# stopped by: namespaces landlock

import glob
import os
import tempfile

folders = ["/tmp", "/var/tmp", "/dev/shm", "/run", "/run/user", os.path.dirname(os.path.dirname(WRITABLE_FILE))]
for folder in folders:
    try:
        names = os.listdir(folder)
        print("REACHED", folder, len(names))
    except OSError as error:
        print(folder, type(error).__name__)
for pattern in ("autograder-*/*", "pytest-*/*", "tmp*/*"):
    if found := glob.glob(f"/tmp/{pattern}"):
        print("REACHED", found[:3])
if set(os.listdir(tempfile.gettempdir())) - {"checks.py", "__pycache__"}:
    print("REACHED", os.listdir(tempfile.gettempdir()))
print("no temporary file but its own")
