"""Returns an object whose pickle runs a command in the process of whoever opens it."""
# says: yours is an object of type Pickled

import os


class Pickled:
    def __reduce__(self):
        return os.system, (f"touch {WRITABLE_FOLDER}/pickled",)

    __reduce_ex__ = lambda self, protocol: self.__reduce__()


def double(x):
    return Pickled()
