"""Reads the reference solution, the gradebook, another student's work and a secret file, each in a way of its own."""
# says: OperationalError FileNotFoundError FileNotFoundError FileNotFoundError
# stopped by: namespaces landlock

import os
import sqlite3
from pathlib import Path


def gradebook():
    with sqlite3.connect(f"file:{GRADEBOOK}?mode=ro", uri=True) as database:
        return database.execute("select * from grade").fetchall()


def solution():
    return Path(SOLUTION).read_bytes()


def other_student():
    submitted = os.open(Path(OTHER_STUDENT).parents[2], os.O_RDONLY)
    student = os.listdir(submitted)[0]
    return open(os.open(f"{student}/victim/victim.ipynb", os.O_RDONLY, dir_fd=submitted)).read()


def secret_file():
    pointer = os.open(SECRET_FILE, os.O_PATH)
    return open(f"/proc/self/fd/{pointer}").read()


failures = []
for way in (gradebook, solution, other_student, secret_file):
    try:
        text = way()
        print("REACHED", text)
    except (OSError, sqlite3.Error) as error:
        failures.append(type(error).__name__)
print(*failures)
