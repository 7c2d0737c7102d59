"""Shows full points as the result of every later cell before the cell itself has run, as a forged message would."""
# says: double: 0 of 4 points (failed)


def show_points(*_):
    shell = get_ipython()
    shell.displayhook.write_format_data({"text/plain": "4.0"})
    shell.display_pub.publish({"text/plain": "4.0"})


get_ipython().events.register("pre_run_cell", show_points)
get_ipython().events.register("post_run_cell", show_points)


def double(x):
    return x
