"""Forges an image whose width is written into the page without quotes and brings a handler with it."""
# says: there is no function `double`

import sys

IMAGE = {
    "output_type": "display_data",
    "data": {"image/png": "AAAA"},
    "metadata": {"width": "1 onerror=alert(/evil/)", "height": "1 onload=alert(/evil/)"},
}
worker = sys.modules["autograder.inside.server"]
worker._Server.run = lambda *_, **__: {"kind": "ran", "outputs": [IMAGE], "failed": False}
