"""Clears what it has shown, updates what others have shown, and shows the result of a grade cell instead."""
# says: double: 0 of 4 points (failed)

from IPython.display import clear_output, display, update_display

print("what is to be hidden")
clear_output()
display("Twice an array: 4 of 4 points (passed)", display_id="double")
update_display("4.0", display_id="double")
get_ipython().set_next_input("4.0", replace=True)
get_ipython().payload_manager.write_payload({"source": "page", "data": {"text/html": "<script>"}, "start": 0})


def double(x):
    return x
