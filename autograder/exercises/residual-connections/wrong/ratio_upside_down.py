"""The ratio is turned round: what entered divided by what arrived."""

hint = "A ratio below 1 should mean that the gradient has shrunk."
loses = ["exercise_3"]


def preservation_ratios(Ws, depths):
    return [8.0 / run_stack(N, True, Ws) for N in depths]
