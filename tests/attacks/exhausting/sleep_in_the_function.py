"""Waits in the function for a lock that nobody will open."""
# says: it was not done after 2 seconds of computing or 6 seconds of waiting

import threading

lock = threading.Lock()
lock.acquire()


def double(x):
    lock.acquire()
