"""Rows are kept in a dict by depth, so equal depths share one."""

import numpy as np

hint = "How many rows do the depths [5, 5] make?"
loses = ["drift_table"]


def drift_table(Ws, depths):
    x = np.random.RandomState(0).randn(4, 16)
    names = ("stream res", "stream pre", "grad res", "grad pre")
    lines = [" | ".join([f"{'depth N':>8}", *(f"{name:>12}" for name in names)]), "-" * 68]
    rows = {}
    for N in depths:
        a, c = stack_norms(x, Ws[:N], False)
        b, d = stack_norms(x, Ws[:N], True)
        rows[N] = f"{N:>8} | {a:>12.6f} | {b:>12.6f} | {c:>12.6f} | {d:>12.6f}"
    return "\n".join([*lines, *rows.values()])
