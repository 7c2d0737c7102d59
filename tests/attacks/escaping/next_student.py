"""Changes everything that it can change for whoever is graded next in a process of the same parent."""
# says: left behind

import atexit
import builtins
import contextlib
import locale
import os
import random
import signal
import sys
import threading
import time
import warnings

import matplotlib
import numpy as np
import torch

builtins.print, real_print = (lambda *args: real_print("ATTACKED")), builtins.print
builtins.attacked = "ATTACKED"
np.ATTACKED = torch.ATTACKED = "ATTACKED"
np.zeros, np.ones = np.ones, np.zeros
torch.Tensor.__mul__ = lambda self, other: "ATTACKED"
random.seed(0), np.random.seed(0), torch.manual_seed(0), np.seterr(all="raise")
torch.set_default_dtype(torch.float16), torch.set_grad_enabled(False), np.set_printoptions(precision=1)
matplotlib.rcParams["figure.figsize"] = 1, 1
os.environ["ATTACKED"] = "ATTACKED"
sys.path.insert(0, os.getcwd())
sys.modules["scipy"] = sys
sys.setrecursionlimit(60)
warnings.simplefilter("error"), locale.setlocale(locale.LC_ALL, "C"), os.umask(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
atexit.register(real_print, "ATTACKED")
for name in ("numpy.py", "torch.py", "checks.py", "attacked.pth", "sitecustomize.py"):
    with contextlib.suppress(OSError), open(name, "w") as file:
        file.write("print('ATTACKED')")
get_ipython().events.register("pre_run_cell", lambda *_: real_print("ATTACKED"))
get_ipython().input_transformers_post.append(lambda lines: ["print('ATTACKED')\n", *lines])
threading.Thread(target=lambda: time.sleep(100), daemon=True).start()
for place in ("/submission-cache", "/tmp", "/var/tmp", "/dev/shm"):
    try:
        open(f"{place}/attacked", "w").close()
        real_print("REACHED", place)
    except OSError:
        pass
real_print("left behind")
