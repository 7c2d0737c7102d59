"""Claims for every call, in the place of the worker, an error of eight million letters without a space."""
# says: double: 0 of 4 points

import sys

error = {"kind": "raised", "type": "Error", "message": "y" * 8_000_000, "where": ""}
worker = sys.modules["autograder.inside.server"]
worker._Server.call = worker._Server.gradients = lambda self, **_: error
