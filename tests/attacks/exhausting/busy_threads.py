"""Leaves threads behind that compute on while its functions answer at once."""
# says: double: 0 of 4 points

import threading


def compute():
    while True:
        sum(range(1000))


for _ in range(3):
    threading.Thread(target=compute, daemon=True).start()


def double(x):
    return x
