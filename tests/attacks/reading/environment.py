"""Reads the environment from Python, from the C library and from the kernel, for tokens and for the course's folder."""
# says: nothing of the course
# no layer stops this: the process is started with an environment of its own

import ctypes
import os

course = os.path.dirname(os.path.dirname(GRADEBOOK))
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
entries = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
pointed = []
while entries and entries[len(pointed)]:
    pointed.append(entries[len(pointed)])
texts = [str(dict(os.environ)), open("/proc/self/environ").read(), str(pointed), str(libc.getenv(b"AUTOGRADER_TOKEN"))]
texts += [open("/proc/self/cmdline").read()]
for text in texts:
    if "TOKEN" in text or "ENVIRONMENT" in text or course in text:
        print("REACHED", text)
print("nothing of the course")
