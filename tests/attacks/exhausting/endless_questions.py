"""Calls the function that it was given without end."""
# says: apply: 0 of 3 points (timeout)
# task: apply


def apply(x, function):
    while True:
        function(1)
