"""Comes to the hidden tests by links, by `..`, and by the roots and folders of processes that /proc shows."""
# says: 8 ways lead nowhere
# stopped by: namespaces landlock

import os

os.symlink(HIDDEN_TESTS, "symbolic")
ways = {
    "symbolic": "a link in the own folder",
    "../" * 12 + HIDDEN_TESTS: "up and down again",
    "/proc/self/root" + HIDDEN_TESTS: "the own root",
    "/proc/1/root" + HIDDEN_TESTS: "the first process's root",
    f"/proc/{os.getppid()}/root" + HIDDEN_TESTS: "the parent's root",
    f"/proc/{GRADER_PID}/root" + HIDDEN_TESTS: "the grader's root",
    "/proc/self/task/1/cwd/../../.." + HIDDEN_TESTS: "a thread's folder",
}
dead = 0
for path in ways:
    try:
        text = open(path).read()
        print("REACHED", ways[path], text)
    except OSError:
        dead += 1
try:
    os.link(HIDDEN_TESTS, "hard")
    text = open("hard").read()
    print("REACHED", text)
except OSError:
    dead += 1
print(dead, "ways lead nowhere")
