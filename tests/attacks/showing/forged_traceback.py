"""Forges the error of a cell, with a link, a script and a colour in each of its parts."""
# says: &lt;script&gt;

import sys

EVIL = "<script>alert('evil')</script>\x1b]8;;javascript:alert(1)\x07x\u202e\x1b[31m"
ERROR = {"output_type": "error", "ename": EVIL, "evalue": EVIL, "traceback": [EVIL, "", EVIL * 100]}
RAISED = {"type": EVIL, "name": EVIL, "message": EVIL}
worker = sys.modules["autograder.inside.server"]
worker._Server.run = lambda *_, **__: {"kind": "ran", "outputs": [ERROR]}
worker._Server.call = lambda *_, **__: {**RAISED, "kind": "raised", "where": EVIL}
