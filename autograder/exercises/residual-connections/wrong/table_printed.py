"""The table is printed, and the function returns nothing."""

hint = "Printing shows a text to you; returning gives it to whoever called."
loses = ["gradient_table", "exercise_1"]


def gradient_table(Ws, depths):
    print(f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}")
    print("-" * 44)
    for N in depths:
        plain, res = run_stack(N, False, Ws), run_stack(N, True, Ws)
        print(f"{N:>8} | {plain:>14.6e} | {res:>14.6f}")
