"""Lets the kernel end others before itself when memory runs short, and be ended with nobody."""
# says: it goes first
# stopped by: seccomp

import ctypes

for name, text in (("oom_score_adj", "-1000"), ("oom_score_adj", "0"), ("oom_adj", "-17"), ("autogroup", "-20")):
    try:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    except OSError:
        pass
if int(open("/proc/self/oom_score_adj").read()) < 1000:
    print("REACHED")
set_death_signal = 1
if ctypes.CDLL(None).prctl(set_death_signal, 0, 0, 0, 0) == 0:
    print("REACHED")
print("it goes first")
