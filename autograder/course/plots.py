"""The plots of a class as SVG that stands inside a page: its colours are the page's own, so it follows light and dark.

Each says what it shows in words, for those who do not see it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager

import matplotlib as mpl
import numpy as np
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autograder.course.item_analysis import Item, Numbers
from autograder.report import Status

# What stands for a variable of the page's style while Matplotlib draws, as it knows colours alone.
_PLACEHOLDERS = {
    "--ink": "#010203",
    "--soft": "#010204",
    "--line": "#010205",
    "--bar": "#010206",
    "--passed": "#010207",
    "--carried": "#010208",
    "--failed": "#010209",
    "--error": "#01020a",
    "--ended": "#01020b",
    "--missing": "#01020c",
    "--ungraded": "#01020d",
}
_STACK = {  # what a bar is made of, from left to right
    "passed": ("--passed", (Status.PASSED,)),
    "carried": ("--carried", (Status.CARRIED,)),
    "failed": ("--failed", (Status.FAILED,)),
    "error": ("--error", (Status.ERROR,)),
    "timeout or crashed": ("--ended", (Status.TIMEOUT, Status.CRASHED)),
    "missing": ("--missing", (Status.MISSING,)),
    "ungraded": ("--ungraded", (Status.UNGRADED,)),
}
_BINS = 20
_WIDTH = 5.2  # inches: words are as large as the page's where it is as narrow as a telephone


def histogram(shares: Sequence[float]) -> Markup:
    """How many students have which share of the points, from 0 to 1 and more with extra credit."""
    with _style():
        figure = Figure(figsize=(_WIDTH, 2.2), layout="constrained")
        axes = figure.add_subplot()
        percent = 100 * np.clip(shares, 0, 1)
        axes.hist(percent, bins=list(np.linspace(0, 100, _BINS + 1)), color=_PLACEHOLDERS["--bar"], rwidth=0.92)
        axes.set_xlabel("percent of the automatic points")
        axes.set_ylabel("students")
        axes.set_xlim(0, 100)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        _quieten(axes)
        return _as_svg(figure, _told(percent))


def outcomes(tasks: Sequence[Item]) -> Markup:
    """For each task, how many students came out with which status."""
    with _style():
        figure = Figure(figsize=(_WIDTH, 1.1 + 0.28 * len(tasks)), layout="constrained")
        axes = figure.add_subplot()
        names = [task.name for task in tasks][::-1]
        left = np.zeros(len(tasks))
        for label, (colour, statuses) in _STACK.items():
            counts = np.array([sum(task.statuses[one] for one in statuses) for task in tasks][::-1])
            if counts.any():
                axes.barh(names, counts, left=left, color=_PLACEHOLDERS[colour], label=label, height=0.7)
                left += counts
        axes.set_xlabel("students")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.margins(x=0, y=0.02)
        axes.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False, labelcolor=_PLACEHOLDERS["--ink"]
        )
        _quieten(axes)
        return _as_svg(figure, "How each task came out; the table of tasks below has the numbers.")


def _style() -> AbstractContextManager[None]:
    """Words stay words, in the page's own font, and the same data are the same bytes."""
    return mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "autograder", "font.size": 9})


def _quieten(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_PLACEHOLDERS["--line"])
    axes.tick_params(color=_PLACEHOLDERS["--line"], labelcolor=_PLACEHOLDERS["--ink"])
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set_color(_PLACEHOLDERS["--soft"])


def _told(percent: Numbers) -> str:
    if not len(percent):
        return "Nobody has a score yet."
    low, middle, high = np.percentile(percent, [25, 50, 75])
    return (
        f"Distribution of the automatic points of {len(percent)} students: half have {middle:.0f} percent or more; "
        f"the middle half lies between {low:.0f} and {high:.0f} percent."
    )


def _as_svg(figure: Figure, told: str) -> Markup:
    file = io.StringIO()
    unsaid = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(file, format="svg", transparent=True, metadata=unsaid)
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{escape(told)}"', 1)
    for variable, colour in _PLACEHOLDERS.items():
        svg = svg.replace(colour, f"var({variable})")
    return Markup(svg)  # task names are identifiers, and Matplotlib escapes what it writes
