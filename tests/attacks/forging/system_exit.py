"""Leaves its function through `sys.exit(0)`, which a test runner may take for its own good end."""
# says: error: SystemExit: 0

import sys


def double(x):
    sys.exit(0)
