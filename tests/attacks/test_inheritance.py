"""What a student leaves behind is not there for the next one, who is graded in a process of the same parent."""

from __future__ import annotations

import nbformat
import pytest

from autograder.exercise.built import Built, SeededExercise
from autograder.grading.evaluate import Evaluation, Grader
from autograder.submission.samples import solved
from tests.attacks.world import ATTACKS, Attack, World, submission

LEAVING = [attack for attack in ATTACKS if attack.name == "escaping/next_student"]

WITNESS = """
import builtins, gc, glob, hashlib, locale, os, signal, sys, threading, warnings
import matplotlib

def digest(value):
    return hashlib.sha256(str(value).encode()).hexdigest()[:12]

display(sorted(os.environ.items()), sys.path, os.listdir("."), glob.glob("/submission-cache/*"))
display(sorted(vars(builtins)), sorted(sys.modules), sys.getrecursionlimit(), os.umask(0o77))
display(np.zeros(2), np.ones(2), torch.ones(2) * 3, np.get_printoptions(), np.geterr())
display(torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads())
display(digest(np.random.get_state()), digest(torch.get_rng_state().tolist()))
display(matplotlib.rcParams["figure.figsize"], locale.setlocale(locale.LC_ALL), len(warnings.filters))
display([str(signal.getsignal(number)) for number in (2, 14, 15)], threading.active_count(), sorted(vars(np)))
display([str(one) for one in get_ipython().input_transformers_post], get_ipython().events.callbacks["pre_run_cell"])
display([name for name in os.listdir("/proc") if name.isdigit()], os.listdir("/proc/self/fd"), gc.get_threshold())
"""


def witnessed(grader: Grader, built: Built) -> Evaluation:
    """An honest submission that also says all that it finds in its process."""
    notebook = solved(built)
    notebook.cells.append(nbformat.v4.new_code_cell(WITNESS, id="witness"))
    return grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, 1))


def test_the_witness_sees_much(grader: Grader, built: Built) -> None:
    evaluation = witnessed(grader, built)
    outputs = evaluation.notebook.cells[-1].outputs
    assert evaluation.report.earned == built.exercise.points
    assert len(outputs) == 29
    assert not [output for output in outputs if output.output_type == "error"]


@pytest.mark.parametrize("attack", LEAVING, ids=lambda attack: attack.name)
def test_the_next_student_finds_all_as_it_was(grader: Grader, built: Built, world: World, attack: Attack) -> None:
    before = witnessed(grader, built)
    grader.evaluate(submission(built, world, attack), SeededExercise(built, 1))
    after = witnessed(grader, built)
    assert after == before
    assert "ATTACKED" not in str(after)


def test_two_runs_draw_the_same_unseeded_numbers(grader: Grader, built: Built) -> None:
    """So a student cannot be lucky, and a grade does not depend on who was graded before."""
    notebook = solved(built)
    draw = "import random\nprint(random.random(), np.random.random(), torch.rand(1))"
    notebook.cells.append(nbformat.v4.new_code_cell(draw, id="draw"))
    raw = nbformat.writes(notebook).encode()
    first, second = (grader.evaluate(raw, SeededExercise(built, 1)).notebook.cells[-1].outputs for _ in range(2))
    assert first == second
