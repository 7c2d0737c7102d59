"""Raises an exception whose text is never done."""
# says: double: 0 of 4 points (timeout)


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def double(x):
    raise Endless
