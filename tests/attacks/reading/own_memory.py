"""Searches all memory that it was forked with for what the grader may have held when it started the first process."""
# says: no secret in its memory
# no layer stops this: nothing secret is in the process that it is forked from

import gc
import re

# Looks for what stands before the mark, so that it does not find itself.
mark = re.compile(b"(HIDDEN-SUITE|GRADEBOOK|ENVIRONMENT|_FILE|SOLUTION|STUDENT|TESTS)-" + b"SEC" + b"RET")
searched = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
    for line in maps:
        start, end = (int(text, 16) for text in line.split()[0].split("-"))
        if " rw-p " not in line or searched > 800 << 20:
            continue
        memory.seek(start)
        for offset in range(0, end - start, 16 << 20):
            try:
                piece = memory.read(min(16 << 20, end - start - offset))
            except OSError:
                break
            searched += len(piece)
            if found := mark.search(piece):
                print("REACHED", found)
for thing in gc.get_objects():
    if type(thing) is dict and "test_double_keeps_x" in thing:
        print("REACHED", list(thing))
print("no secret in its memory" if searched > 50 << 20 else "nothing searched")
