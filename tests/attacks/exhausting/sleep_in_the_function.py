"""Waits in the function for a lock that nobody will open."""
# says: it was not done after 1 seconds of computing or 3 seconds of waiting

import threading

lock = threading.Lock()
lock.acquire()


def double(x):
    lock.acquire()
