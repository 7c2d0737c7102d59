"""Loops for ever in the function, with all signals blocked and their handlers gone."""
# says: double: 0 of 4 points (timeout)

import signal


def double(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    for number in set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
