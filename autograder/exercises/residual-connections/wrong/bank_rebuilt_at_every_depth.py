"""Every row of the table draws a bank of its own, so that the weights differ between depths."""

hint = "A fair comparison uses the same weights for all depths: those that were passed in."
loses = ["gradient_table", "exercise_1"]


def gradient_table(Ws, depths):
    lines = [f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}", "-" * 44]
    for N in depths:
        bank = weight_bank(0.5, n=N, seed=N)
        plain, res = run_stack(N, False, bank), run_stack(N, True, bank)
        lines.append(f"{N:>8} | {plain:>14.6e} | {res:>14.6f}")
    return "\n".join(lines)
