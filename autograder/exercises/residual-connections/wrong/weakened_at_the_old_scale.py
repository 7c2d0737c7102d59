"""The new table is made from the old bank, scale 0.5."""

hint = "Compare your new table with the lesson's. Has anything changed?"
loses = ["exercise_1"]


def weakened_table():
    return gradient_table(weight_bank(0.5), [1, 5, 10, 20])
