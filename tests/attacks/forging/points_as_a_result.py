"""Shows full points as the result of its own cell, and as display data under the names of the tasks."""
# says: double: 0 of 4 points (failed)

from IPython.display import display

display({"text/plain": "4.0"}, raw=True, display_id="double", metadata={"nbgrader": {"grade_id": "double"}})
get_ipython().displayhook.write_format_data({"text/plain": "4.0"})


def double(x):
    return x


4.0
