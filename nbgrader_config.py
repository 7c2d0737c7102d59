load_subconfig("grader_config.py")  # nbgrader insists on this file's name
