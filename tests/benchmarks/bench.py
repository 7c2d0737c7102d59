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
from tests.benchmarks.course import SLUGS
from tests.benchmarks.meter import Measured, adopt_orphans, measure
from tests.nbgrader_course import BIN, grades
from tests.places import REPOSITORY

AUTOGRADER, NBGRADER = str(BIN / "autograder"), str(BIN / "nbgrader")
PACKAGES = ("autograder", "nbgrader", "numpy", "torch", "matplotlib", "ipython", "ipykernel", "pytest")
COMPARED = 100
_SECONDS = 300  # for a command, and four for each submission
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
        self._stock_size = 4 if quick else len(course.submissions())
        self._quick = quick
        self.repeats = 1 if quick else 3
        self.runs = Runs()

    def run(self) -> dict[str, Any]:
        ours, stock = course.our_course(self._scratch / "ours"), course.stock_course(self._scratch / "stock")
        self._short_commands(ours, stock)
        self._plain()
        scores = self._stock(stock)
        for size in self._sizes:
            scores |= self._ours(ours, size)
        self._floor()
        stages = {slug: self._stages(ours, slug) for slug in SLUGS}
        isolation = self._isolation()
        return {
            "ratios": Ratios(self.runs, self._sizes, self._stock_size, SLUGS).all(),
            "ratios_by_exercise": {
                slug: Ratios(self.runs, self._sizes, self._stock_size, (slug,)).of_cpu() for slug in SLUGS
            },
            "scores": _agreement(scores),
            "stages": stages,
            "isolation": isolation,
            "runs": self.runs.all,
        }

    def _short_commands(self, ours: Path, stock: Path) -> None:
        """Help; nbgrader's own command on one submission, with this package's settings and without; nothing to do."""
        for slug in SLUGS:
            here, there = self._copy(ours, 1, [slug]), self._copy(stock, 1, [slug])
            for _ in range(self.repeats):
                self._measure("ours single", slug, 1, [NBGRADER, "autograde", "--force", slug], here)
                self._measure("stock single", slug, 1, [NBGRADER, "autograde", "--force", slug], there)
            measure([AUTOGRADER, "grade", slug], here, self._environment, _SECONDS)
            for _ in range(self.repeats):
                self._measure("ours help", slug, 1, [AUTOGRADER, "--help"], here)
                self._measure("stock help", slug, 1, [NBGRADER, "--help"], there)
                self._measure("ours nothing to do", slug, 1, [AUTOGRADER, "grade", slug], here)
                self._measure("stock nothing to do", slug, 1, [NBGRADER, "autograde", slug], there)
            _remove(here, there)

    def _plain(self) -> None:
        """An assignment whose tests stand in its own cells, graded by both."""
        grade, autograde = [AUTOGRADER, "grade", course.PLAIN, "--jobs", "1"], [NBGRADER, "autograde", course.PLAIN]
        for _ in range(self.repeats):
            here = course.plain_course(self._scratch / "plain ours", course.SWITCHED_ON)
            there = course.plain_course(self._scratch / "plain stock")
            self._measure("ours plain", course.PLAIN, course.PLAIN_SIZE, grade, here)
            self._measure("stock plain", course.PLAIN, course.PLAIN_SIZE, autograde, there)
            _remove(here, there)

    def _stock(self, template: Path) -> dict[str, Any]:
        folder = self._copy(template, self._stock_size)
        for _ in range(self.repeats):
            for slug in SLUGS:
                self._measure("stock", slug, self._stock_size, [NBGRADER, "autograde", "--force", slug], folder)
        scores = {"stock": grades(folder)}
        _remove(folder)
        return scores

    def _ours(self, template: Path, size: int) -> dict[str, Any]:
        """Cold, then warm. A hundred submissions are a mean by themselves, so only small sizes are repeated."""
        if size <= COMPARED:  # with one process, the largest takes as long as everything else
            _remove(self._cold(template, size, 1))
        for _ in range(self.repeats - 1 if size < COMPARED else 0):
            _remove(self._cold(template, size, 2))
        folder = self._cold(template, size, 2)
        scores = grades(folder)
        for _ in range(self.repeats):
            self._grade("warm", folder, size, 2)
        _remove(folder)
        return {"ours": scores}

    def _cold(self, template: Path, size: int, jobs: int) -> Path:
        folder = self._copy(template, size)
        self._grade("cold", folder, size, jobs)
        return folder

    def _grade(self, what: str, folder: Path, size: int, jobs: int) -> None:
        for slug in SLUGS:
            self._measure(what, slug, size, [AUTOGRADER, "grade", slug, "--jobs", str(jobs)], folder, jobs)

    def _floor(self) -> None:
        for _ in range(self.repeats):
            for slug in SLUGS:
                floor = [sys.executable, "-m", "tests.benchmarks.floor", slug]
                for size in (0, self._stock_size):
                    self._measure("floor", slug, size, [*floor, str(size)], self._scratch)
                self._measure("blind floor", slug, size, [*floor, str(size), "blind"], self._scratch)

    def _stages(self, template: Path, slug: str) -> dict[str, Any]:
        size = self._stock_size
        folder = self._copy(template, size, [slug])
        command = [sys.executable, "-m", "tests.benchmarks.stages", str(folder), slug]
        measured = self._measure("stages", slug, size, command, self._scratch)
        _remove(folder)
        return {"size": size, **json.loads(measured.output.splitlines()[-1])}

    def _isolation(self) -> str:
        amounts = ["6", "1"] if self._quick else []
        command = [sys.executable, "-m", "tests.benchmarks.isolation", *amounts]
        return self._measure("isolation", "", 0, command, self._scratch).output

    def _copy(self, template: Path, size: int, slugs: Sequence[str] = SLUGS) -> Path:
        folder = Path(tempfile.mkdtemp(dir=self._scratch))
        shutil.copytree(template, folder, dirs_exist_ok=True)
        course.hand_in(folder, size, slugs)
        return folder

    def _measure(self, what: str, slug: str, size: int, command: list[str], folder: Path, jobs: int = 0) -> Measured:
        measured = measure(command, folder, self._environment, _SECONDS + 4 * size)
        numbers = {name: round(value, 3) for name, value in asdict(measured).items() if name != "output"}
        run = {"what": what, "exercise": slug, "size": size, "jobs": jobs, **numbers}
        self.runs.all.append(run)
        print(" ".join(map(str, run.values())), file=sys.stderr, flush=True)
        return measured


class Runs:
    """What was measured. `size` is that of the whole class, of which each run graded one exercise."""

    def __init__(self, runs: Sequence[Run] = ()) -> None:
        self.all: list[Run] = [*runs]

    def median(self, key: str, what: str, slug: str, size: int, jobs: int = 0) -> tuple[float, int]:
        """The median of what was measured, and of how many runs."""
        wanted = (what, slug, size, jobs)
        values = [run[key] for run in self.all if (run["what"], run["exercise"], run["size"], run["jobs"]) == wanted]
        return statistics.median(values), len(values)

    def total(self, key: str, what: str, slugs: Sequence[str], size: int, jobs: int = 0) -> float:
        """The medians of the exercises, one after the other."""
        return sum(self.median(key, what, slug, size, jobs)[0] for slug in slugs)

    def peak(self, key: str, what: str, slugs: Sequence[str], size: int, jobs: int = 0) -> float:
        """The largest of the exercises' medians."""
        return max(self.median(key, what, slug, size, jobs)[0] for slug in slugs)


class Ratios:
    """What is computed from the runs over some exercises."""

    def __init__(self, runs: Runs, sizes: Sequence[int], stock_size: int, slugs: Sequence[str]) -> None:
        self._runs = runs
        self._least, self._most = min(sizes), max(sizes)
        self._middle = compared(sizes)
        self._stock_size = stock_size
        self._slugs = slugs

    def of_cpu(self) -> dict[str, float]:
        """CPU seconds for each submission, and how they compare."""
        stock = self._each("stock", self._stock_size)
        ours, most = self._each("cold", self._middle, 2), self._each("cold", self._most, 2)
        floor, blind, further = self._floor("floor"), self._floor("blind floor"), self._further()
        return _rounded(
            {
                "stock_cpu_seconds": stock,
                "ours_cpu_seconds": ours,
                "further_cpu_seconds": further,
                "floor_cpu_seconds": floor,
                "blind_floor_cpu_seconds": blind,
                "ratio_stock_cpu": stock / ours,
                "ratio_stock_cpu_largest": stock / most,
                "ratio_floor_cpu": ours / floor,
                "ratio_floor_cpu_largest": most / floor,
                "ratio_floor_further": further / floor,
                "ratio_stock_floor": stock / floor,
                "single_autograde_ratio": self._pair("single"),
            }
        )

    def all(self) -> dict[str, float]:
        """Those, and how time and memory grow."""
        more = {
            "second_run_share": self._of("wall_seconds", "warm", self._most, 2) / self._wall(self._most),
            "two_core_speedup": self._wall(self._middle, 1) / self._wall(self._middle, 2),
            "time_per_submission_growth": self._wall(self._most) / self._most / (self._wall(self._least) / self._least),
            "memory_growth": self._peak(self._most) / self._peak(self._least),
            "help_ratio": self._pair("help"),
            "nothing_to_do_ratio": self._pair("nothing to do"),
            "plain_ratio": self._plain("stock") / self._plain("ours"),
        }
        return self.of_cpu() | _rounded(more)

    def _of(self, key: str, what: str, size: int, jobs: int = 0) -> float:
        return self._runs.total(key, what, self._slugs, size, jobs)

    def _each(self, what: str, size: int, jobs: int = 0) -> float:
        return self._of("cpu_seconds", what, size, jobs) / self._count(size)

    def _count(self, size: int) -> int:
        """How many submissions of a class are for these exercises."""
        counts = course.counts(size)
        return sum(counts[slug] for slug in self._slugs)

    def _wall(self, size: int, jobs: int = 2) -> float:
        return self._of("wall_seconds", "cold", size, jobs)

    def _peak(self, size: int) -> float:
        return self._runs.peak("main_mib", "cold", self._slugs, size, 2)

    def _pair(self, what: str) -> float:
        return self._of("cpu_seconds", f"stock {what}", 1) / self._of("cpu_seconds", f"ours {what}", 1)

    def _plain(self, side: str) -> float:
        return self._runs.total("cpu_seconds", f"{side} plain", [course.PLAIN], course.PLAIN_SIZE)

    def _further(self) -> float:
        """What one more submission costs, between the smallest and the largest size."""
        more = self._of("cpu_seconds", "cold", self._most, 2) - self._of("cpu_seconds", "cold", self._least, 2)
        return more / (self._count(self._most) - self._count(self._least))

    def _floor(self, what: str) -> float:
        """The floors of the exercises, in the class's proportion."""
        counts = course.counts(self._stock_size)
        floors = {
            slug: self._runs.total("cpu_seconds", what, [slug], self._stock_size)
            - self._runs.total("cpu_seconds", "floor", [slug], 0)
            for slug in self._slugs
        }
        weighted = sum(counts[slug] * floor / self._stock_size for slug, floor in floors.items())
        return weighted / self._count(self._stock_size)


def compared(sizes: Sequence[int]) -> int:
    """The size at which the class is held against stock nbgrader and the floor."""
    return COMPARED if COMPARED in sizes else max(sizes)


def _rounded(ratios: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in ratios.items()}


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
