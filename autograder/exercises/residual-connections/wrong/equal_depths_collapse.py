"""Rows are kept in a dict by depth, so equal depths share one."""

hint = "How many rows do the depths [5, 5] make?"
loses = ["gradient_table"]


def gradient_table(Ws, depths):
    lines = [f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}", "-" * 44]
    rows = {N: f"{N:>8} | {run_stack(N, False, Ws):>14.6e} | {run_stack(N, True, Ws):>14.6f}" for N in depths}
    return "\n".join([*lines, *rows.values()])
