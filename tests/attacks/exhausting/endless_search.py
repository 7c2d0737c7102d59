"""Starts a regular expression that takes ages, inside one call of C code that holds the interpreter."""
# says: double: 0 of 4 points (timeout)

import re


def double(x):
    return re.match(r"(a|aa|a?)+$", "a" * 60 + "b")
