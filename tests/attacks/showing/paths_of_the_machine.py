"""Names paths of the grader's machine in an error and in a warning, as whoever has seen them elsewhere might."""
# says: error: ValueError: …

import sys
import warnings

warnings.warn(sys.prefix + "/lib \x1b[31m")
print(sys.prefix, sys.executable, sys.modules["autograder"].__file__)


def double(x):
    raise ValueError(sys.prefix + "/../../<script>")
