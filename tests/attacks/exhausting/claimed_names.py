"""Claims that its results are of a type whose name has eight million letters, and its errors too."""
# says: double: 0 of 4 points

import sys

worker = sys.modules["autograder.inside.server"]
worker._Server._outgoing = lambda self, value: ["handle", 0, "y" * 7_000_000]
raised = {"kind": "raised", "type": "E" * 4_000_000, "message": "", "where": "w" * 3_000_000}
worker._Server.call = lambda self, **_: {"kind": "value", "value": object()}
worker._Server.gradients = lambda self, **_: raised
