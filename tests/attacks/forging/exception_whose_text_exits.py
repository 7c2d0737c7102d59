"""Raises an exception whose text ends the process that prints it."""
# says: it ended the notebook's process


class Exiting(Exception):
    def __str__(self):
        raise SystemExit(0)


def double(x):
    raise Exiting
