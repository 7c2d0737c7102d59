"""The answers are the words yes and yes instead of truth values."""

hint = "Python has two values for answers like these."
loses = ["exercise_1"]


def weakened_answers():
    return "yes", "yes"
