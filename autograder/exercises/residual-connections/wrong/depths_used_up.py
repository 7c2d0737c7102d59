"""The depths are taken off the caller's list."""

hint = "Whose list is depths, and what is left of it after the call?"
loses = ["gradient_table"]


def gradient_table(Ws, depths):
    lines = [f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}", "-" * 44]
    while depths:
        N = depths.pop(0)
        lines.append(f"{N:>8} | {run_stack(N, False, Ws):>14.6e} | {run_stack(N, True, Ws):>14.6f}")
    return "\n".join(lines)
