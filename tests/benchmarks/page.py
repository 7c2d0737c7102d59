"""Writes what a benchmark found: `performance.json`, `performance.md` and `images/performance.png`.

python -m tests.benchmarks.page FOLDER        writes page and plot anew from FOLDER/performance.json
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tests.benchmarks import bench
from tests.benchmarks.course import LEFT_OUT, PLAIN_SIZE, SLUGS, counts, submissions

Results = dict[str, Any]

_HEAD = """\
# Performance

*Written by `make bench` from [performance.json](performance.json), which has every raw value. Do not edit it here.*

{date}, {minutes:g} minutes, commit {commit}. {cpu}, {cores} cores, {memory_gib:g} GiB, Linux {kernel}, Python \
{python}, {packages}. Load average at the start: {load_at_start:g}; the machine should do nothing else.

Every number comes from this one run. The ratios are what to trust: on another machine, or on a busy one, seconds \
change more than ratios do. Where something ran several times, the number is the median, and n says of how many.
"""
_RATIOS = {  # key: what it says, and whether more is better
    "stock_cpu_seconds": "stock nbgrader, CPU seconds for each submission",
    "ours_cpu_seconds": "this package, the same at {middle} submissions, its start included",
    "further_cpu_seconds": "this package, each further submission after the first {least}",
    "floor_cpu_seconds": "the floor, CPU seconds for each submission",
    "blind_floor_cpu_seconds": "the floor without the cells that draw figures",
    "ratio_stock_cpu": "stock nbgrader / this package at {middle}",
    "ratio_stock_cpu_largest": "stock nbgrader / this package at {most}",
    "ratio_floor_cpu": "this package at {middle} / the floor",
    "ratio_floor_cpu_largest": "this package at {most} / the floor",
    "ratio_floor_further": "this package's further submission / the floor",
    "ratio_stock_floor": "stock nbgrader / the floor: more than this is not to be had",
    "second_run_share": "the same command again at {most}, nothing changed: share of the first run's time",
    "two_core_speedup": "two processes against one, at {middle}: times faster",
    "time_per_submission_growth": "time for each submission at {most} / at {least}",
    "memory_growth": "memory of the main process at {most} / at {least}",
    "single_autograde_ratio": "`nbgrader autograde` of one submission, CPU: stock / with this package",
    "help_ratio": "CPU of `nbgrader --help` / `autograder --help`",
    "nothing_to_do_ratio": "CPU of `nbgrader autograde` / `autograder grade` where all is graded already",
    "plain_ratio": "a plain assignment with its own tests, {plain} submissions from nothing, CPU: stock / this package",
}
_KINDS = {"stock": "stock nbgrader", "cold": "this package, cold", "warm": "this package, warm"}
_MEASURED = """\
## What is measured

**The submissions.** The demo class: {count} notebooks, for *residual connections* (NumPy, a figure) and *residual
block* (PyTorch, two figures), repeated until there are enough; no two files are the same, so no result serves two of
them. Left out on both sides, because stock nbgrader does not get through them: {left_out}.

**Stock nbgrader.** `nbgrader autograde EXERCISE`, for one exercise after the other, in a course folder without this
package's settings: its own kernel for each submission, its own converter, one submission after the other. It has no
hidden suite, so its grade cells get one: a hidden-tests region loads the same `test_hidden.py` into the kernel, calls
each test of the task as a plain function, and leaves the task's points times the share that passed as the cell's
result. The same tests on inputs of the same shapes, the same comparisons, the same reference; no pytest, no message
for the student. `check(...)` is taken out of the grade cells, as this package does not run it either. On {equal} of
{compared} grade cells both sides give the same points; where they do not, student and tests share a process there, so
that a function that changes its argument changes the test's as well.

**This package.** `autograder grade EXERCISE`, the same way, first with nothing graded (cold), then again (warm).

**The floor.** A student's process forked and shut in, the notebook's cells, and the hidden tests as plain functions
that call the student's across the socket. No pytest, no points, no feedback, no gradebook, no file. What the start
costs is taken off: a run without submissions.

**One submission.** `nbgrader autograde --force` on the first of them, with this package's settings and without.

**A plain assignment.** The example of nbgrader's own documentation, two notebooks whose tests stand in their cells, its
two students in turns: `nbgrader autograde` without this package, and `autograder grade` with one process.

**Not measured.** Making a new gradebook, which both sides do once in a course's life in some seconds; both find one.
Writing feedback pages, which nbgrader does for both.

**How.** Each command is a process of its own. Its CPU seconds are those that the kernel hands over when a process is
reaped, for the command and all that it started; a process whose parent ended first is reaped by the benchmark, so none
is missed. Memory is the most that the main process held (the kernel counts), and the most that all of them held at one
moment, looked at four times a second; memory that two of them share counts twice there. The numerical libraries have
one thread everywhere. Runs are repeated {repeats} times, but not cold runs of a hundred submissions or more or with one
process. A class above a hundred is not graded with one process: that would take as long as everything else.
"""


_LIMITS = """\
## Why it is not faster

**Against stock nbgrader.** The floor is what any grader pays that runs the students' cells in a shut-in process and
calls their functions from outside. It is {ratio_stock_floor:.1f} times less than stock nbgrader; this package, past
its start, takes {ratio_floor_further:.2f} times the floor. So thirty times less than stock nbgrader cannot be had
here, by whatever code, as long as all of a notebook is run: {figures:.0%} of the floor is Matplotlib, which draws
each notebook's figures, on both sides the same. A grader that drew none would start from
{blind_floor_cpu_seconds:.2f} s, {ratio_stock_blind:.0f} times less than stock nbgrader; but the figures are what a
person looks at when answers are graded by hand. Notebooks that compute for longer move both sides closer together,
those that only define functions apart.

**At the start.** The first submissions pay for the imports of each process: see below. It is most of what a class of
twenty costs. What the known mistakes come to was found out when the exercises were released, and is kept in the course.

**`nbgrader autograde` of one submission.** nbgrader's own start takes {help:.1f} CPU seconds (`nbgrader --help`), of
{single:.1f} for stock nbgrader in all. A third of that is less than the start. Beside it stand here the warm parent,
which imports what a student may, and once more NumPy or torch in the grader's own process for the reference; all of
it is paid for one submission. Grade with `autograder grade`: it is for this that the parent stays warm.
"""


def write(results: Results, folder: Path) -> None:
    """Write the three files."""
    (folder / "images").mkdir(exist_ok=True)
    (folder / "performance.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (folder / "performance.md").write_text("\n".join(_sections(results)), encoding="utf-8")
    _plot(results).savefig(folder / "images" / "performance.png")


def _sections(results: Results) -> Iterator[str]:
    machine = results["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    yield _wrapped(_HEAD.format(**results | machine | {"packages": packages}))
    yield "![CPU seconds for each submission: stock nbgrader, this package, the floor](images/performance.png)\n"
    yield _ratios(results)
    yield _runs(results)
    yield _wrapped(_LIMITS.format(**_limits(results)))
    yield _stages(results)
    left_out = ", ".join(f"`{name}` ({why})" for name, why in LEFT_OUT.items())
    about = {"count": len(submissions()), "left_out": left_out, "repeats": results["repeats"]}
    yield _wrapped(_MEASURED.format(**about, **results["scores"]))
    yield f"## What the isolation costs\n\n```\n{results['isolation'].rstrip()}\n```\n"
    yield _profile(results)


def _ratios(results: Results) -> str:
    sizes = sorted(results["sizes"])
    places = {"least": sizes[0], "middle": bench.compared(sizes), "most": sizes[-1], "plain": PLAIN_SIZE}
    by_exercise = results["ratios_by_exercise"]
    rows = [
        (said.format(**places), *(_number(ratios.get(key)) for ratios in (results["ratios"], *by_exercise.values())))
        for key, said in _RATIOS.items()
    ]
    return "## In short\n\n" + _table(("", "the class", *by_exercise), rows)


def _limits(results: Results) -> dict[str, float]:
    ratios, runs = results["ratios"], bench.Runs(results["runs"])
    stock, floor, blind = (ratios[f"{name}_cpu_seconds"] for name in ("stock", "floor", "blind_floor"))
    return {
        **ratios,
        "figures": 1 - blind / floor,
        "ratio_stock_blind": stock / blind,
        "help": runs.total("cpu_seconds", "stock help", SLUGS, 1) / len(SLUGS),
        "single": runs.total("cpu_seconds", "stock single", SLUGS, 1) / len(SLUGS),
    }


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _runs(results: Results) -> str:
    runs = bench.Runs(results["runs"])
    kinds = dict.fromkeys(
        (run["exercise"], run["size"], run["what"], run["jobs"]) for run in runs.all if run["what"] in _KINDS
    )
    rows = [
        _run_row(runs, *kind)
        for kind in sorted(kinds, key=lambda kind: (kind[0], kind[1], [*_KINDS].index(kind[2]), kind[3]))
    ]
    small = [f"{side} {what}" for what in ("help", "nothing to do", "single") for side in ("stock", "ours")]
    rows_of_small = [_small_row(runs, what, slug) for slug in SLUGS for what in small]
    head = (
        "",
        "exercise",
        "submissions",
        "processes",
        "CPU s each",
        "time s each",
        "time s",
        "main MiB",
        "all MiB",
        "n",
    )
    return (
        "## Grading a class\n\n"
        + _table(head, rows)
        + "\n## Short commands\n\n"
        + _table(("", "exercise", "CPU s", "time s", "n"), rows_of_small)
    )


def _run_row(runs: bench.Runs, slug: str, size: int, what: str, jobs: int) -> Sequence[str]:
    keys = ("cpu_seconds", "wall_seconds", "main_mib", "tree_mib")
    (cpu, n), (wall, _), (main, _), (tree, _) = (runs.median(key, what, slug, size, jobs) for key in keys)
    count = counts(size)[slug]
    each = (f"{cpu / count:.3f}", f"{wall / count:.3f}", f"{wall:.1f}")
    return (_KINDS[what], slug, str(count), str(jobs or 1), *each, f"{main:.0f}", f"{tree:.0f}", str(n))


def _small_row(runs: bench.Runs, what: str, slug: str) -> Sequence[str]:
    (cpu, n), (wall, _) = (runs.median(key, what, slug, 1) for key in ("cpu_seconds", "wall_seconds"))
    return (what, slug, f"{cpu:.2f}", f"{wall:.2f}", str(n))


def _stages(results: Results) -> str:
    """Those that each process pays once come last, in seconds; the others for each submission."""
    stages = results["stages"].values()
    columns = [_stage_column(one["seconds"], one["size"]) for one in stages]
    rows = [(stage, *(column[stage] for column in columns)) for stage in columns[0]]
    sizes = " and ".join(str(one["size"]) for one in stages)
    text = (
        f"## Where the time goes\n\n{sizes} submissions, all in one process, by the clock: while the cells run, and in "
        "most of the time of the tests, the grader waits for the student's process. Each process of a run pays once "
        "what says so; what the known mistakes come to is kept since the release.\n\n"
    )
    return _wrapped(text.strip()) + "\n" + _table(("stage", *results["stages"]), rows)


def _stage_column(seconds: dict[str, float], size: int) -> dict[str, str]:
    each = sum(value for stage, value in seconds.items() if not stage.startswith("once"))
    return {
        stage: f"{value:.1f} s" if stage.startswith("once") else f"{value / size * 1e3:.1f} ms, {value / each:.0%}"
        for stage, value in sorted(seconds.items(), key=lambda item: item[0].startswith("once"))
    }


def _profile(results: Results) -> str:
    slug, stages = next(iter(results["stages"].items()))
    own, all_ = stages["profile"]["tottime"], stages["profile"]["cumulative"]
    return (
        "## Profile\n\ncProfile of the grader's process in a second run, with all warm: CPU seconds of this process "
        f"alone, for\n{stages['size']} submissions of {slug}. By the time in a function itself:\n\n```\n{own}\n```\n\n"
        f"By the time in it and all that it calls:\n\n```\n{all_}\n```\n"
    )


def _wrapped(text: str) -> str:
    return "\n\n".join(textwrap.fill(part, 120, break_on_hyphens=False) for part in text.split("\n\n")) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _plot(results: Results) -> Figure:
    runs, ratios, sizes = bench.Runs(results["runs"]), results["ratios"], sorted(results["sizes"])
    figure = Figure(figsize=(7, 4.2), layout="constrained", dpi=120)
    axes = figure.subplots()
    axes.axhline(ratios["stock_cpu_seconds"], color="tab:red", label="stock nbgrader")
    for what, mark, said in (("cold", "o-", "this package"), ("warm", "s:", "this package, nothing changed")):
        cpu = [runs.total("cpu_seconds", what, SLUGS, size, 2) / size for size in sizes]
        axes.plot(sizes, cpu, mark, color="tab:blue", label=said)
    axes.axhline(ratios["floor_cpu_seconds"], color="gray", linestyle="--", label="the floor")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    low, high = axes.get_ylim()
    ticks = [tick for power in range(-4, 3) for tick in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)]
    shown = [tick for tick in ticks if low <= tick <= high]
    axes.set_yticks(shown, [f"{tick:g}" for tick in shown])
    axes.set_xlabel("submissions")
    axes.set_ylabel("CPU seconds for each submission")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    return figure


if __name__ == "__main__":
    write(json.loads((Path(sys.argv[1]) / "performance.json").read_text(encoding="utf-8")), Path(sys.argv[1]))
