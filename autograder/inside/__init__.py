"""Everything that runs in the student's process. Of the rest of the package it loads `wire`, `values` and
`layout` alone.

`warm_parent` imports the heavy libraries once and forks a process for each submission; `confine` takes away what that
must not have; `server` answers the grader there, and `shell` runs notebook cells without a kernel.
"""
