"""The rows are sorted by depth."""

hint = "In which order does the docstring want the rows?"
loses = ["gradient_table"]


def gradient_table(Ws, depths):
    lines = [f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}", "-" * 44]
    for N in sorted(depths):
        lines.append(f"{N:>8} | {run_stack(N, False, Ws):>14.6e} | {run_stack(N, True, Ws):>14.6f}")
    return "\n".join(lines)
