"""The plain column falls so much less than before that it is taken not to decay at all."""

hint = "Slower is not never: compare the first and the last row of the plain column."
loses = ["exercise_1"]


def weakened_answers():
    return False, True
