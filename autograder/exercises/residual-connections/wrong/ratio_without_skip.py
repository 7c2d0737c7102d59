"""The ratio is taken for the stack without skip paths."""

hint = "Which of the two stacks is the question about?"
loses = ["exercise_3"]


def preservation_ratios(Ws, depths):
    return [run_stack(N, False, Ws) / 8.0 for N in depths]
