"""nbgrader insists on this file's name; the settings are in grader_config.py."""

load_subconfig("grader_config.py")
