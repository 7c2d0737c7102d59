"""The numbers have four decimal places instead of six."""

import numpy as np

hint = "Compare one row with the lesson's table, character by character."
loses = ["drift_table"]


def drift_table(Ws, depths) -> str:
    x = np.random.RandomState(0).randn(4, 16)
    lines = [" depth N |   stream res |   stream pre |     grad res |     grad pre", "-" * 68]
    for N in depths:
        a, c = stack_norms(x, Ws[:N], False)
        b, d = stack_norms(x, Ws[:N], True)
        lines.append(f"{N:>8} | {a:>12.4f} | {b:>12.4f} | {c:>12.4f} | {d:>12.4f}")
    return "\n".join(lines)
