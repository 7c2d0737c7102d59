"""Raises errors with huge names and messages, and shows objects whose text has a hundred million letters."""
# says: more output than a graded cell may have


class Large:
    def __repr__(self):
        return "y" * 50_000_000


display(Large())
get_ipython().showtraceback((type("E" * 1_000_000, (Exception,), {}), ValueError("y" * 50_000_000), None))


def double(x):
    raise ValueError("y" * 50_000_000)
