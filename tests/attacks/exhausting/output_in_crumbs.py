"""Makes forty thousand outputs with nothing in them, each of which needs its frame."""
# says: more output than a graded cell may have

import sys

for number in range(20_000):
    print("x", file=(sys.stdout, sys.stderr)[number % 2], end="")
for _ in range(20_000):
    get_ipython().display_pub.publish({"text/plain": ""})
