"""The demo's settings: the course's own, with the exercises where they are seen from the demo folder."""

load_subconfig("grader_config.py", path="..")

c = get_config()
c.Course.exercises = "../autograder/exercises"
