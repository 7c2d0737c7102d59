"""Sends signals, harmless ones, to its parent, the grader and everybody, in every way that there is."""
# says: no signal was sent
# stopped by: namespaces user landlock seccomp

import ctypes
import fcntl
import os
import signal

HARMLESS, SET_SIGNAL = signal.SIGURG, 10
libc = ctypes.CDLL(None, use_errno=True)


def with_a_call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def through_a_pipe(number):
    reader, writer = os.pipe()
    fcntl.fcntl(reader, SET_SIGNAL, HARMLESS)
    fcntl.fcntl(reader, fcntl.F_SETOWN, number)
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"x")


for number in (os.getppid(), GRADER_PID, -1, 0, -GRADER_PID):
    ways = {
        "kill": lambda: os.kill(number, HARMLESS),
        "group": lambda: os.killpg(abs(number), HARMLESS),
        "handle": lambda: signal.pidfd_send_signal(os.pidfd_open(number), HARMLESS),
        "thread": lambda: with_a_call("tgkill", number, number, HARMLESS),
        "queue": lambda: with_a_call("sigqueue", number, HARMLESS, None),
        "pipe": lambda: through_a_pipe(number),
    }
    for name, way in ways.items():
        try:
            way()
            print("REACHED", name, number)
        except (OSError, AttributeError):
            pass
print("no signal was sent")
