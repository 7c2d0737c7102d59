"""The norms are divided by the one at the first depth instead of the 8 that entered."""

hint = "What is the norm of the gradient before it has passed a single layer?"
loses = ["exercise_3"]


def preservation_ratios(Ws, depths):
    norms = [run_stack(N, True, Ws) for N in depths]
    return [norm / norms[0] for norm in norms]
