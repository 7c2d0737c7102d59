"""Every line ends with a newline, the last one too."""

hint = "Print repr(...) of your table and look at its last character."
loses = ["gradient_table", "exercise_1"]


def gradient_table(Ws, depths):
    text = f"{'depth N':>8} | {'no residual':>14} | {'with residual':>14}\n" + "-" * 44 + "\n"
    for N in depths:
        plain, res = run_stack(N, False, Ws), run_stack(N, True, Ws)
        text += f"{N:>8} | {plain:>14.6e} | {res:>14.6f}\n"
    return text
