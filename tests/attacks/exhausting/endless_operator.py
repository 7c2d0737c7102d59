"""Never comes back from an operator, a length, a comparison, a truth value or the end of an iteration."""
# task: total
# says: total: 0 of 3 points (timeout)


def wait_for_ever(self, *_):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


class Total:
    def __init__(self, *parts):
        self.value = 0.0

    __add__ = __len__ = __bool__ = __eq__ = __next__ = __del__ = __getattr__ = wait_for_ever

    def __iter__(self):
        return self
