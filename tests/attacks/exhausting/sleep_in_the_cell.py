"""Sleeps for ever in the cell."""
# says: cell 3: it was not done after 1 seconds of computing or 3 seconds of waiting

import time

while True:
    try:
        time.sleep(1 << 20)
    except BaseException:
        pass
