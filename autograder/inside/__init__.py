"""Everything that runs in the student's process. Of the rest of the package it loads `wire` alone.

`zygote` is the warm parent: it imports the heavy libraries once and forks one `worker` per submission; `confine` takes
away what a worker must not have; `shell` runs notebook cells without a kernel.
"""
