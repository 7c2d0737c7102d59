"""Sets timers that ring a million times a second, with handlers that never come to an end."""
# says: double: 0 of 4 points

import ctypes
import signal

libc = ctypes.CDLL(None)
timer = ctypes.c_void_p()
made = sum(libc.timer_create(1, None, ctypes.byref(timer)) == 0 for _ in range(100_000))
print(made, "timers")


def ring(*_):
    signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, ring)


def double(x):
    signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
    while True:
        try:
            sum(range(1000))
        except KeyboardInterrupt:
            pass
