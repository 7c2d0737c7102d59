"""Puts code where the next Python starts: a .pth file, sitecustomize, a changed module, its cached bytes, the program."""
# says: the interpreter is as it was

import glob
import os
import random  # a module of the standard library
import site
import sys

for folder in {*site.getsitepackages(), *sys.path, os.path.dirname(random.__file__), site.getusersitepackages()}:
    for name in ("attacked.pth", "sitecustomize.py", "usercustomize.py", "__pycache__/attacked.cpython-311.pyc"):
        path = os.path.join(folder, name)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except OSError:
            continue
        os.unlink(path)
        if not path.startswith(os.getcwd()):
            print("REACHED", path)
targets = [random.__file__, random.__cached__, sys.executable, os.path.realpath(sys.executable), "/etc/ld.so.cache"]
for path in [*targets, *glob.glob(f"{sys.prefix}/lib/python3*/site-packages/*.pth")]:
    try:
        os.close(os.open(path, os.O_WRONLY))
        print("REACHED", path)
    except OSError:
        pass
print("the interpreter is as it was")
