"""The hidden tests of tasks that are questions, collected beside an exercise's own suite; the plug-in says which."""

from autograder.grading.questions import judge


def test_answer(student, reference, question):  # type: ignore[no-untyped-def]
    """The answer."""
    judge(question, getattr(student, question.variable), getattr(reference, question.variable))
