"""The two columns of the table are swapped."""

hint = "Which of the two stacks should the first column show?"
loses = ["gradient_table", "exercise_1"]


def gradient_table(Ws, depths):
    lines = [f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}", "-" * 44]
    for N in depths:
        plain, res = run_stack(N, True, Ws), run_stack(N, False, Ws)
        lines.append(f"{N:>8} | {plain:>14.6e} | {res:>14.6f}")
    return "\n".join(lines)
