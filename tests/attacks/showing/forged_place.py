"""Runs code under the name of one of the course's cells, or of a path, so that the error seems to be there."""
# says: double: 0 of 4 points (error)

import linecache

for name in ("<cell 1>", "../../<script>alert('evil')</script>", "/etc/passwd"):
    linecache.cache[name] = (1, None, ["the course's own code is wrong \x1b[31m\u202e<script>\n"], name)


def double(x):
    exec(compile("raise ValueError('the grader is wrong')", "<cell 1>", "exec"))
