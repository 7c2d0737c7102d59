"""Iterates over a million objects, each of which the grader has to hold, and a test goes through all of them."""
# task: total
# says: an iteration over it was not done after 10000 items (64 MiB)


class Total:
    def __init__(self, *parts):
        self.value = float(sum(parts))

    def add(self, number):
        self.value = [Total() for _ in range(1_000_000)]

    def __add__(self, other):
        return Total()

    def __iter__(self):
        return (Total(number) for number in range(1_000_000))

    def __len__(self):
        return 1_000_000
