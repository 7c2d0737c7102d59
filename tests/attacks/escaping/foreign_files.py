"""Writes, cuts, renames, links and deletes files of the course and of everybody else."""
# says: 11 ways change nothing
# stopped by: namespaces landlock

import os
import sqlite3
from pathlib import Path


def change_a_score():
    with sqlite3.connect(GRADEBOOK) as database:
        database.execute("update grade set score = 100")


def rename_over():
    Path("mine").write_text("forged")
    os.rename("mine", OTHER_STUDENT)


def write_through_a_link():
    os.symlink(SOLUTION, "link")
    Path("link").write_text("forged")


def link_into_the_course():
    Path("mine").write_text("forged")
    os.link("mine", f"{WRITABLE_FOLDER}/linked")


def nameless_file():
    return os.write(os.open(WRITABLE_FOLDER, os.O_TMPFILE | os.O_RDWR), b"x")


ways = {
    "score": change_a_score,
    "append": lambda: open(HIDDEN_TESTS, "a").write("def test_forged(): pass"),
    "rename": rename_over,
    "link out": write_through_a_link,
    "link in": link_into_the_course,
    "create": lambda: Path(WRITABLE_FOLDER, "created").write_text("x"),
    "folder": lambda: os.mkdir(f"{WRITABLE_FOLDER}/made"),
    "nameless": nameless_file,
    "cut": lambda: os.truncate(WRITABLE_FILE, 0),
    "attribute": lambda: os.setxattr(WRITABLE_FILE, "user.attacked", b"x"),
    "delete": lambda: os.unlink(WRITABLE_FILE),
}
failed = 0
for name, way in ways.items():
    try:
        way()
        print("REACHED", name)
    except (OSError, sqlite3.Error):
        failed += 1
print(failed, "ways change nothing")
