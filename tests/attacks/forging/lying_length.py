"""Makes objects of a negative length, of a length that no index has, and of one that is no number."""
# task: total
# says: its length is more than any right answer has

LENGTHS = [-1, 1 << 80, (1 << 63) - 1, 1 << 40, "many", None, True, 2.0]


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
        LENGTHS.append(LENGTHS.pop(0))
        return LENGTHS[-1]
