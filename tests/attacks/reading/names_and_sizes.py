"""Learns without reading them that files exist, how large they are and who was graded when."""
# says: 5 files are not there
# stopped by: namespaces

import os

absent = 0
for path in (HIDDEN_TESTS, SOLUTION, GRADEBOOK, OTHER_STUDENT, SECRET_FILE):
    reached = []
    for way in (os.stat, os.lstat, os.statvfs, lambda path: os.open(path, os.O_PATH), lambda path: os.rmdir(path)):
        try:
            reached.append(way(path))
        except (FileNotFoundError, PermissionError):
            pass
        except OSError as error:  # it cannot be done to this file, so there is one
            reached.append(error)
    if reached or os.access(path, os.F_OK):
        print("REACHED", path, reached)
    else:
        absent += 1
print(absent, "files are not there")
