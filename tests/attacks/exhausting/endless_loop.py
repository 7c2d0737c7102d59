"""Loops for ever in the cell."""
# says: timeout

while True:
    pass
