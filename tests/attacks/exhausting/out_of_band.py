"""Sends one byte out of band: the grader is waked, and there is nothing to read."""
# says: double: 0 of 4 points (timeout)

import socket
import time

channel = socket.socket(fileno=3)


def double(x):
    channel.send(b"x", socket.MSG_OOB)
    time.sleep(1000)
