"""The table is printed and not returned."""

import numpy as np

hint = "What does your function return?"
loses = ["drift_table"]


def drift_table(Ws, depths) -> str:
    x = np.random.RandomState(0).randn(4, 16)
    lines = [" depth N |   stream res |   stream pre |     grad res |     grad pre", "-" * 68]
    for N in depths:
        a, c = stack_norms(x, Ws[:N], False)
        b, d = stack_norms(x, Ws[:N], True)
        lines.append(f"{N:>8} | {a:>12.6f} | {b:>12.6f} | {c:>12.6f} | {d:>12.6f}")
    print("\n".join(lines))
