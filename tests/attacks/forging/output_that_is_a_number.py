"""Names, as the only output of a later cell, a NumPy number instead of an output."""
# says: the notebook's process answered with something that is no answer

import sys

import numpy as np

worker = sys.modules["autograder.inside.server"]
worker._Server.run = lambda self, **_: {"kind": "ran", "outputs": [np.float64(4)], "failed": False}
