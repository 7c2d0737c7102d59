"""Prints, shows and raises halves of characters, which cannot be written into any file."""
# says: double: 0 of 4 points (error)

from IPython.display import display

print("a\ud800b")
display({"text/plain": "\udfff"}, raw=True)


def double(x):
    raise ValueError("\udcff\ud800")
