"""Makes objects that raise where they are asked whether they are true, and errors that do the same."""
# task: total
# says: Undecided


class Undecided(Exception):
    def __bool__(self):
        raise self

    def __str__(self):
        raise self

    __repr__ = __len__ = __eq__ = __str__


class Total:
    def __init__(self, *parts):
        self.parts, self.value = list(parts), float(sum(parts))

    def add(self, number):
        self.__init__(*self.parts, number)

    def __add__(self, other):
        return Total(*self.parts, *other.parts)

    def __iter__(self):
        return (Total(part) for part in self.parts)

    def __len__(self):
        return len(self.parts)

    def __bool__(self):
        raise Undecided(self)
