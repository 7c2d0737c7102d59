"""Returns an array of 300 megabytes."""
# says: `double` returned more data than any right answer has

import numpy as np


def double(x):
    return np.broadcast_to(np.int8(1), (300 << 20,))
