"""The rule has another number of dashes."""

import numpy as np

hint = "How many dashes does the docstring ask for?"
loses = ["drift_table"]


def drift_table(Ws, depths) -> str:
    x = np.random.RandomState(0).randn(4, 16)
    lines = [" depth N |   stream res |   stream pre |     grad res |     grad pre", "-" * 64]
    for N in depths:
        a, c = stack_norms(x, Ws[:N], False)
        b, d = stack_norms(x, Ws[:N], True)
        lines.append(f"{N:>8} | {a:>12.6f} | {b:>12.6f} | {c:>12.6f} | {d:>12.6f}")
    return "\n".join(lines)
