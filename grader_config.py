"""The course's only settings file. nbgrader reads it through nbgrader_config.py."""

from autograder.settings import use_autograder

c = get_config()  # given by traitlets
use_autograder(c)

c.CourseDirectory.course_id = "deep-learning-from-scratch"
