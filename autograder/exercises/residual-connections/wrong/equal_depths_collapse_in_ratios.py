"""Ratios are kept in a dict by depth, so equal depths share one."""

hint = "How many ratios do the depths [5, 5] have?"
loses = ["exercise_3"]


def preservation_ratios(Ws, depths):
    return list({N: run_stack(N, True, Ws) / 8.0 for N in depths}.values())
