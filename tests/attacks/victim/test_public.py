import numpy as np

from autograder.testing import assert_exact, task


@task("double")
def test_double_of_one(student):
    """Twice an array of ones"""
    assert_exact(student.double(np.ones(2)), np.full(2, 2.0), what="result")
