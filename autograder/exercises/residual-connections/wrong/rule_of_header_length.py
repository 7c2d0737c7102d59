"""The rule is as long as the header, not 44 dashes."""

hint = "Count the dashes."
loses = ["gradient_table", "exercise_1"]


def gradient_table(Ws, depths):
    header = f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}"
    lines = [header, "-" * len(header)]
    for N in depths:
        plain, res = run_stack(N, False, Ws), run_stack(N, True, Ws)
        lines.append(f"{N:>8} | {plain:>14.6e} | {res:>14.6f}")
    return "\n".join(lines)
