"""Reads the settings that Jupyter and nbgrader keep beside the interpreter: passwords, tokens, the database's address."""
# says: no settings
# stopped by: namespaces landlock

import os
import sys

for prefix in {sys.prefix, sys.base_prefix, "/usr", "/usr/local", "/usr/local/share/nbgrader"}:
    for folder in ("etc", "etc/jupyter", "exchange", "share/jupyter"):
        try:
            names = os.listdir(f"{prefix}/{folder}")
            print("REACHED", f"{prefix}/{folder}", names[:3])
        except OSError:
            pass
print("no settings")
