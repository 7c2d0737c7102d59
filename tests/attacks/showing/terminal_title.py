"""Sets the title of the terminal, writes to its clipboard and asks it to answer, in what it prints and raises."""
# says: error: ValueError:

import sys

COMMANDS = "\x1b]0;evil\x07\x1b]52;c;ZXZpbA==\x07\x1b[c\x1b[6n\x1bP$q\"p\x1b\\\x90evil\x9c\x05"
print(COMMANDS)
print(COMMANDS, file=sys.stderr)


def double(x):
    raise ValueError(COMMANDS)
