"""Leaves files in the folder that the first process keeps for matplotlib and IPython, for the next student's start."""
# says: no file for the next one

import os

places = {os.environ["IPYTHONDIR"], os.environ.get("MPLCONFIGDIR", "."), "/", "/dev", "/etc", os.environ["IPYTHONDIR"] + "/.."}
for place in places - {os.getcwd()}:
    for name in ("matplotlibrc", "attacked.json", "startup", ".matplotlib"):
        try:
            os.close(os.open(f"{place}/{name}", os.O_CREAT | os.O_WRONLY))
            print("REACHED", place, name)
        except OSError:
            pass
    try:
        os.rename(place, "mine")
        print("REACHED", place)
    except OSError:
        pass
print("no file for the next one")
