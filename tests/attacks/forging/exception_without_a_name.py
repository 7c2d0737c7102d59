"""Raises an exception whose class has no name that could be read."""
# says: double: 0 of 4 points


class Nameless(type):
    @property
    def __name__(cls):
        raise SystemExit(0)


class Strange(Exception, metaclass=Nameless):
    pass


def double(x):
    raise Strange
