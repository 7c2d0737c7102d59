"""Raises an error whose text is never done, and shows an object whose text is never done."""
# says: double: 0 of 4 points (timeout)


class Endless(Exception):
    def __str__(self):
        while True:
            pass

    __repr__ = __str__


def double(x):
    raise Endless
