"""Raises an exception whose name holds lines of a report, a heading and escape sequences."""
# says: double: 0 of 4 points (error)

NAME = "Wrong\n  double: 4 of 4 points (passed)\n# evil\n\x1b[31m<script>alert('evil')</script>"
Named = type(NAME, (Exception,), {})


def double(x):
    raise Named
