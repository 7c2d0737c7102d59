"""Returns a list that holds itself, and a dictionary that does."""
# says: double: 0 of 4 points


def double(x):
    values = [1]
    values += [values, {"values": values}, (values,)]
    values.append({"self": values})
    return values
