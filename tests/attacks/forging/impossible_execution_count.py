"""Forges an output that no notebook may hold, so that the graded notebook cannot be recorded."""
# says: there is no function `double`

import sys

OUTPUT = {"output_type": "execute_result", "data": {"text/plain": "4.0"}, "metadata": {}, "execution_count": -5}
sys.modules["autograder.inside.server"]._Server.run = lambda *_, **__: {
    "kind": "ran",
    "outputs": [OUTPUT],
    "failed": False,
}
