"""Spreads evaluations over the workers of a Dask cluster, as `pool` spreads work over processes of this machine.

Dask gives a job to another worker where one ends in the middle. Each job brings along all that a worker needs, the
exercise too: so workers come and go as they like, and share no files with anybody.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import socket
import weakref
import zlib
from collections.abc import Collection, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import requires
from pathlib import Path
from typing import Self

import msgspec
from packaging.requirements import Requirement

from autograder.batch.evaluators import Evaluations
from autograder.batch.job import Job, Refusal
from autograder.batch.pool import slide
from autograder.errors import ConfigError
from autograder.exercise.packages import require_packages, versions_of
from autograder.grading.evaluate import Assignment, Evaluation, Grader, GraderConfig
from autograder.inside import leftovers
from autograder.isolation.doctor import require_safety
from autograder.isolation.protection import Protection
from autograder.report import Finding, Report
from autograder.store import SOURCES
from autograder.submission.handed_in import Contents
from autograder.tree import UnsafeError

try:
    import dask
    import distributed
    from distributed.client import ClosedClientError
    from distributed.versions import get_versions
except ImportError:
    raise ConfigError("a cluster needs Dask, which is not installed: pip install 'autograder[cluster]'") from None

_CONNECT_SECONDS = 5

Versions = dict[str, str | None]


class Cluster:
    """The workers of a scheduler that is running already. Use as a context manager.

    Errors: ConfigError where no scheduler answers at `address`.
    """

    def __init__(self, address: str) -> None:
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"})  # a notebook is no graph
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it tells comes as an error, too
        try:
            self._client = distributed.Client(address, timeout=_CONNECT_SECONDS)
        except (OSError, ValueError, TypeError, ImportError, RuntimeError) as error:
            reason = str(error).partition("\n")[0]
            raise ConfigError(f"no Dask scheduler answers at {address}: {reason}") from None
        self._address = address

    def workers(self) -> int:
        """How many there are at the moment. Errors: ConfigError where the scheduler is gone."""
        if self._client.status == "closed":
            raise self._broke_off("the scheduler is gone")
        return len(self._client.nthreads())

    def require_fit(self, protection: Protection, packages: Collection[str]) -> None:
        """Each worker sees to it itself."""

    def evaluate(self, jobs: Sequence[Job], assignment: Assignment, config: GraderConfig) -> Evaluations:
        """As `Evaluator.evaluate`; a job that has ended one worker after another is not tried for ever.

        Errors: ConfigError where a worker is not fit for the work, or the scheduler is gone.
        """
        kit = _pack(assignment, config)
        executor = self._client.get_executor(pure=False)
        try:
            self._require_same_versions(kit)
            for job, future in slide(jobs, partial(_submit, executor, kit, assignment), self.workers):
                yield job, _result(future)
        except (CancelledError, ClosedClientError, OSError) as error:
            raise self._broke_off(error) from None
        except ImportError as error:
            raise ConfigError(f"a worker lacks what grading needs: {error}") from None
        finally:
            self._dismiss(kit, executor)

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require_same_versions(self, kit: _Kit) -> None:
        """Each worker sees to it itself, but one that lacks this package cannot even read what it is sent."""
        found = self._client.get_versions(packages=_packages())
        for name, process in {"the scheduler": found["scheduler"], **found["workers"]}.items():
            _require_same(kit.versions, process["packages"], name)

    def _broke_off(self, why: object) -> ConfigError:
        return ConfigError(f"the cluster at {self._address} broke off; grade again to go on: {why}")

    def _dismiss(self, kit: _Kit, executor: Executor) -> None:
        """No worker goes on after the run, nor keeps the exercise and a warm parent."""
        with suppress(distributed.CancelledError, ClosedClientError, OSError, RuntimeError):  # the last: it closes now
            executor.shutdown(wait=False)
            self._client.run(_put_away, kit.key, on_error="ignore")


def _submit(executor: Executor, kit: _Kit, assignment: Assignment, job: Job) -> Future[Evaluation]:
    try:
        return executor.submit(_evaluate, kit, *job.read(assignment))
    except UnsafeError as error:
        unreadable: Future[Evaluation] = Future()
        unreadable.set_exception(error)
        return unreadable


def _result(future: Future[Evaluation]) -> Evaluation | Refusal:
    try:
        return future.result()
    except distributed.KilledWorker:
        return Refusal("one worker after another has ended over it")
    except UnsafeError as error:  # the file has gone since
        return Refusal(str(error))


@dataclass(frozen=True)
class _Kit:
    """What a worker needs beside the jobs.

    versions, sources: what it must have installed and loaded. packages: those of the exercise, with their versions.
    contents: `_Contents`, packed.
    """

    key: str
    versions: Versions
    packages: dict[str, str]
    sources: str
    contents: bytes


@dataclass(frozen=True)
class _Contents:
    """A run as it is pickled. files: those of the assignment's folder, if it has one."""

    assignment: Assignment
    files: dict[str, bytes]
    config: GraderConfig


def _pack(assignment: Assignment, config: GraderConfig) -> _Kit:
    files = _files(assignment.folder) if assignment.folder else {}
    contents = _Contents(assignment, files, replace(config, course=None))
    packed = zlib.compress(pickle.dumps(contents))
    own = versions_of(assignment.packages)
    return _Kit(hashlib.sha256(packed).hexdigest(), _versions(), own, SOURCES, packed)


def _files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def _packages() -> list[str]:
    """This package and those that it asks for; a report may hang on any of them."""
    asked = map(Requirement, requires("autograder") or ())
    return ["autograder", *(one.name for one in asked if not one.marker or one.marker.evaluate({"extra": ""}))]


def _versions() -> Versions:
    """Of these packages and of Python."""
    found: Versions = get_versions(_packages())["packages"]
    return {name: found[name] for name in ("python", *_packages())}


def _require_same(wanted: Versions, found: Versions, where: str) -> None:
    for name, version in wanted.items():
        if found.get(name) != version:
            raise ConfigError(
                f"{where} has {name} {found.get(name)}, this machine {version}; install the same versions on both"
            )


# From here on everything runs in the workers.

# A grader holds greenlets, which cannot leave their thread, and pytest, which changes the environment and the output
# of the whole process. So one thread does all jobs of a process, however many threads Dask has, and however many runs.
_thread = ThreadPoolExecutor(1, "autograder")
_bench: _Bench | None = None  # what the last job was done with; touched by that thread alone


def _evaluate(kit: _Kit, handed_in: Contents, findings: tuple[Finding, ...]) -> Evaluation:
    worker = distributed.get_worker().address
    try:
        return _thread.submit(_evaluate_in_thread, kit, handed_in, findings).result()
    except (ConfigError, OSError) as error:
        raise ConfigError(f"the worker {worker} on {socket.gethostname()} is not fit: {error}") from None


def _evaluate_in_thread(kit: _Kit, handed_in: Contents, findings: tuple[Finding, ...]) -> Evaluation:
    global _bench
    if _bench is None or _bench.key != kit.key:
        _put_away_in_thread()
        _bench = _Bench(kit)
    return _bench.evaluate(handed_in, findings)


def _put_away(key: str) -> None:
    """Without waiting: a job may be going on."""
    _thread.submit(_put_away_in_thread, key)


def _put_away_in_thread(key: str = "") -> None:
    """Only the bench of one run, if a key is given: another run may have taken its place."""
    global _bench
    if _bench and key in ("", _bench.key):
        _bench.close()
        _bench = None


class _Bench:
    """A kit, unpacked: what an exercise reads of its folder in a private one, and a grader.

    Errors: ConfigError where this worker is not fit.
    """

    def __init__(self, kit: _Kit) -> None:
        _require_same(kit.versions, _versions(), "it")
        require_packages(kit.packages)
        _require_same({**kit.packages}, {**versions_of(kit.packages)}, "it")
        if kit.sources != SOURCES:
            raise ConfigError("it has loaded another state of this package; install the same commit and start it anew")
        contents: _Contents = pickle.loads(zlib.decompress(kit.contents))
        require_safety(contents.config.protection)
        assignment = contents.assignment
        self.key = kit.key
        self._grader = Grader(contents.config)
        self._folder = leftovers.new_folder("exercise")  # which a later grader removes, should this process be killed
        self._remove = weakref.finalize(self, leftovers.remove, self._folder)
        here = Path(self._folder, assignment.slug)
        _write(here, contents.files)
        self._here, self._there = str(here), str(assignment.folder or here)
        self._assignment = assignment.moved(here)

    def evaluate(self, handed_in: Contents, findings: tuple[Finding, ...]) -> Evaluation:
        evaluation = self._grader.evaluate(handed_in, self._assignment, findings)
        return replace(evaluation, report=self._as_there(evaluation.report))

    def close(self) -> None:
        self._grader.close()
        self._remove()

    def _as_there(self, report: Report) -> Report:
        """Faults quote the exercise's files; nobody would find them by the names that they have here."""
        text = msgspec.json.encode(report).replace(self._here.encode(), self._there.encode())
        return msgspec.json.decode(text, type=Report)


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
