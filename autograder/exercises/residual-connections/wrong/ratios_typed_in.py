"""The ratios of the lesson's bank are typed into the function."""

hint = "Give your function another bank or other depths: do the ratios change?"
loses = ["exercise_3"]


def preservation_ratios(Ws, depths):
    return [1.083888, 1.818072, 2.372718, 3.205410]
