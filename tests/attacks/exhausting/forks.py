"""Starts children that start children."""
# says: 0 children
# stopped by: seccomp

import os
import time

children = 0
for _ in range(200):
    try:
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        children += 1
    except OSError:
        pass
if children:
    print("REACHED")
print(children, "children")
