"""Forges an image whose metadata is of a form that ends the making of the page."""
# says: there is no function `double`

import sys

IMAGE = {"output_type": "display_data", "data": {"image/png": "AAAA"}, "metadata": {"image/png": "evil"}}
worker = sys.modules["autograder.inside.server"]
worker._Server.run = lambda *_, **__: {"kind": "ran", "outputs": [IMAGE], "failed": False}
