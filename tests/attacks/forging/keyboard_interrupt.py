"""Raises the exception by which a person at the keyboard ends the whole batch."""
# says: error: KeyboardInterrupt


def double(x):
    raise KeyboardInterrupt
