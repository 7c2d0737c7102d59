"""The benchmark: `make bench`, or `python -m tests.benchmarks.bench [--sizes 20,100,1000] [--quick] [--to FOLDER]`

One run measures stock nbgrader, this package and the floor on the same submissions, and writes `performance.json` with
every raw value, `performance.md` and its plot. `page.py` says in words what is measured. Each command runs alone, with
a limit on its time. No number is judged here.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from tests.benchmarks import course, page
from tests.benchmarks.course import SLUG
from tests.benchmarks.meter import Measured, adopt_orphans, measure
from tests.nbgrader_course import BIN, REPOSITORY, grades

AUTOGRADER, NBGRADER = str(BIN / "autograder"), str(BIN / "nbgrader")
PACKAGES = ("autograder", "nbgrader", "numpy", "matplotlib", "ipython", "ipykernel", "pytest")
Run = dict[str, Any]


def main() -> None:
    """Measure, compute, write."""
    options = _options()
    adopt_orphans()
    began, machine = datetime.now(UTC), _machine()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        bench = Bench(Path(scratch), options.sizes, options.quick)
        results = bench.run()
    minutes = (datetime.now(UTC) - began).total_seconds() / 60
    about = {"date": f"{began:%Y-%m-%d %H:%M} UTC", "minutes": round(minutes, 1), "machine": machine}
    about |= {"sizes": options.sizes, "repeats": bench.repeats}
    options.to.mkdir(parents=True, exist_ok=True)
    page.write(about | results, options.to)


class Bench:
    """One run of everything. `runs` has each run of a command as it was measured."""

    def __init__(self, scratch: Path, sizes: Sequence[int], quick: bool) -> None:
        self._scratch = scratch
        self._environment = course.environment(scratch)
        self._sizes = sizes
        self._stock_size = 2 if quick else 20
        self._quick = quick
        self.repeats = 1 if quick else 3
        self.runs: list[Run] = []

    def run(self) -> dict[str, Any]:
        ours, stock = course.our_course(self._scratch / "ours"), course.stock_course(self._scratch / "stock")
        self._start_up(ours, stock)
        self._single(ours, stock)
        scores = self._stock(stock)
        for size in self._sizes:
            scores |= self._ours(ours, size)
        self._floor()
        stages = self._stages(ours)
        isolation = self._isolation()
        ratios = Ratios(self.runs, self._sizes, self._stock_size).all()
        rounded = {name: round(value, 3) for name, value in ratios.items()}
        return {"ratios": rounded, "scores": _agreement(scores), **stages, "isolation": isolation, "runs": self.runs}

    def _start_up(self, ours: Path, stock: Path) -> None:
        """Help, and grading where all is graded."""
        ours, stock = self._copy(ours, 1), self._copy(stock, 1)
        commands = {
            "ours help": (ours, [AUTOGRADER, "--help"]),
            "stock help": (stock, [NBGRADER, "--help"]),
            "ours nothing to do": (ours, [AUTOGRADER, "grade", SLUG]),
            "stock nothing to do": (stock, [NBGRADER, "autograde", SLUG]),
        }
        for folder, command in list(commands.values())[2:]:
            measure(command, folder, self._environment, 300)
        for _ in range(self.repeats):
            for what, (folder, command) in commands.items():
                self._measure(what, 1, command, folder, 120)
        _remove(ours, stock)

    def _single(self, ours: Path, stock: Path) -> None:
        """nbgrader's own command on one submission, with this package's settings and without, in turns."""
        ours, stock = self._copy(ours, 1), self._copy(stock, 1)
        for _ in range(self.repeats):
            for what, folder in (("ours single", ours), ("stock single", stock)):
                self._measure(what, 1, [NBGRADER, "autograde", "--force", SLUG], folder, 300)
        _remove(ours, stock)

    def _stock(self, template: Path) -> dict[str, Any]:
        folder = self._copy(template, self._stock_size)
        self._measure("stock", self._stock_size, [NBGRADER, "autograde", SLUG], folder, 120 + 40 * self._stock_size)
        scores = {"stock": grades(folder)}
        _remove(folder)
        return scores

    def _ours(self, template: Path, size: int) -> dict[str, Any]:
        """Cold, then warm. A hundred submissions are a mean by themselves, so only small sizes are repeated."""
        if size <= max(100, self._sizes[0]):  # with one process, the largest takes as long as everything else
            _remove(self._cold(template, size, 1))
        for _ in range(self.repeats - 1 if size < 100 else 0):
            _remove(self._cold(template, size, 2))
        folder = self._cold(template, size, 2)
        scores = grades(folder)
        for _ in range(self.repeats):
            self._measure("warm", size, _grade(2), folder, 120 + size, 2)
        _remove(folder)
        return {"ours": scores}

    def _cold(self, template: Path, size: int, jobs: int) -> Path:
        folder = self._copy(template, size)
        self._measure("cold", size, _grade(jobs), folder, 120 + 4 * size, jobs)
        return folder

    def _floor(self) -> None:
        for size in (0, _middle(self._sizes)):
            command = [sys.executable, "-m", "tests.benchmarks.floor", str(size)]
            self._measure("floor", size, command, self._scratch, 120 + 4 * size)

    def _stages(self, template: Path) -> dict[str, Any]:
        size = self._sizes[0]
        folder = self._copy(template, size)
        command = [sys.executable, "-m", "tests.benchmarks.stages", str(folder)]
        measured = self._measure("stages", size, command, self._scratch, 300 + 10 * size)
        _remove(folder)
        return {"stages": {"size": size, **json.loads(measured.output.splitlines()[-1])}}

    def _isolation(self) -> str:
        amounts = ["6", "1"] if self._quick else []
        command = [sys.executable, "-m", "tests.benchmarks.isolation", *amounts]
        return self._measure("isolation", 0, command, self._scratch, 600).output

    def _copy(self, template: Path, size: int) -> Path:
        folder = Path(tempfile.mkdtemp(dir=self._scratch))
        shutil.copytree(template, folder, dirs_exist_ok=True)
        course.hand_in(folder, size)
        return folder

    def _measure(
        self, what: str, size: int, command: list[str], folder: Path, seconds: float, jobs: int = 0
    ) -> Measured:
        measured = measure(command, folder, self._environment, seconds)
        run = {name: round(value, 3) for name, value in asdict(measured).items() if name != "output"}
        self.runs.append({"what": what, "size": size, "jobs": jobs, **run})
        print(f"{what:20} n {size:5} jobs {jobs}  {run}", file=sys.stderr, flush=True)
        return measured


class Ratios:
    """What is computed from the runs of one benchmark; medians where there are several."""

    def __init__(self, runs: list[Run], sizes: Sequence[int], stock_size: int) -> None:
        self._runs = runs
        self._least, self._middle, self._most = min(sizes), _middle(sizes), max(sizes)
        self._stock_size = stock_size

    def all(self) -> dict[str, float]:
        stock, ours, floor = self._stock(), self._ours(self._middle), self._floor()
        return {
            "stock_cpu_seconds": stock,
            "ours_cpu_seconds": ours,
            "further_cpu_seconds": self._further(),
            "floor_cpu_seconds": floor,
            "ratio_stock_cpu": stock / ours,
            "ratio_stock_cpu_largest": stock / self._ours(self._most),
            "ratio_floor_cpu": ours / floor,
            "ratio_floor_further": self._further() / floor,
            "ratio_stock_floor": stock / floor,
            "ratio_above_floor": (stock - floor) / (ours - floor),
            "second_run_share": self._of("wall_seconds", "warm", self._most, 2) / self._wall(self._most),
            "two_core_speedup": self._wall(self._middle, 1) / self._wall(self._middle, 2),
            "time_per_submission_growth": self._wall(self._most) / self._most / (self._wall(self._least) / self._least),
            "memory_growth": self._of("main_mib", "cold", self._most, 2) / self._of("main_mib", "cold", self._least, 2),
            "single_autograde_ratio": self._pair("single"),
            "help_ratio": self._pair("help"),
            "nothing_to_do_ratio": self._pair("nothing to do"),
        }

    def _of(self, key: str, what: str, size: int, jobs: int = 0) -> float:
        return median(self._runs, key, what, size, jobs)[0]

    def _wall(self, size: int, jobs: int = 2) -> float:
        return self._of("wall_seconds", "cold", size, jobs)

    def _pair(self, what: str) -> float:
        return self._of("cpu_seconds", f"stock {what}", 1) / self._of("cpu_seconds", f"ours {what}", 1)

    def _stock(self) -> float:
        return self._of("cpu_seconds", "stock", self._stock_size) / self._stock_size

    def _ours(self, size: int) -> float:
        return self._of("cpu_seconds", "cold", size, 2) / size

    def _further(self) -> float:
        """What one more submission costs, between the smallest and the largest size."""
        more = self._of("cpu_seconds", "cold", self._most, 2) - self._of("cpu_seconds", "cold", self._least, 2)
        return more / (self._most - self._least)

    def _floor(self) -> float:
        more = self._of("cpu_seconds", "floor", self._middle) - self._of("cpu_seconds", "floor", 0)
        return more / self._middle


def median(runs: list[Run], key: str, what: str, size: int, jobs: int = 0) -> tuple[float, int]:
    """The median of what was measured, and of how many runs."""
    values = [run[key] for run in runs if (run["what"], run["size"], run["jobs"]) == (what, size, jobs)]
    return statistics.median(values), len(values)


def _middle(sizes: Sequence[int]) -> int:
    return sizes[len(sizes) // 2]


def _agreement(scores: dict[str, Any]) -> dict[str, int]:
    """On how many tasks both sides give the same points. The suite runs in one process there, so not on all."""
    both = [(score[0], scores["ours"][key][0]) for key, score in scores["stock"].items() if score[0] is not None]
    return {"compared": len(both), "equal": sum(abs(one - other) < 0.01 for one, other in both)}


def _machine() -> dict[str, Any]:
    names = [
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    commit = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty"]
    return {
        "cpu": names[0] if names else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / (1 << 30), 1),
        "load_at_start": round(os.getloadavg()[0], 2),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "commit": subprocess.run(commit, capture_output=True, text=True, timeout=30).stdout.strip(),
    }


def _grade(jobs: int) -> list[str]:
    return [AUTOGRADER, "grade", SLUG, "--jobs", str(jobs)]


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="20,100,1000", help="two sizes of the class at least")
    parser.add_argument("--quick", action="store_true", help="tiny numbers, to try the script; writes to build/bench")
    parser.add_argument("--to", type=Path, help="the folder to write to (docs)")
    options = parser.parse_args()
    options.sizes = [4, 8] if options.quick else sorted({int(size) for size in options.sizes.split(",")})
    if len(options.sizes) < 2:
        parser.error("one size has no growth; give two at least")
    options.to = options.to or REPOSITORY / ("build/bench" if options.quick else "docs")
    return options


if __name__ == "__main__":
    main()
