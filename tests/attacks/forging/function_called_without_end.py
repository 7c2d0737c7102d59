"""Calls the function that it was given without end, each call anew within the limit of time."""
# task: apply
# says: apply: 0 of 3 points (timeout)


def apply(x, function):
    while True:
        function(x)
