"""Stops its own process, which then neither runs nor ends."""
# says: went on

import os
import signal

for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN):
    os.kill(os.getpid(), number)
print("went on")
