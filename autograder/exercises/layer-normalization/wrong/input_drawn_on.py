"""The input is drawn anew for every depth from one generator."""

import numpy as np

hint = "Do all your rows start from the same input?"
loses = ["drift_table"]


def drift_table(Ws, depths) -> str:
    generator = np.random.RandomState(0)
    lines = [" depth N |   stream res |   stream pre |     grad res |     grad pre", "-" * 68]
    for N in depths:
        x = generator.randn(4, 16)
        a, c = stack_norms(x, Ws[:N], False)
        b, d = stack_norms(x, Ws[:N], True)
        lines.append(f"{N:>8} | {a:>12.6f} | {b:>12.6f} | {c:>12.6f} | {d:>12.6f}")
    return "\n".join(lines)
