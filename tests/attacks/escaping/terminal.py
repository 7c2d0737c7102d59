"""Types commands into the terminal of whoever runs the grader."""
# says: nobody's terminal

import fcntl
import os
import termios

for number in (0, 1, 2, 3):
    for request, argument in ((termios.TIOCSTI, b"\n"), (termios.TIOCSCTTY, 1), (0x541C, b"\x02"), (0x8901, b"\0" * 4)):
        try:
            fcntl.ioctl(number, request, argument)
            print("REACHED", number, request)
        except OSError:
            pass
for path in ("/dev/tty", "/dev/pts/0", f"/proc/{GRADER_PID}/fd/1"):
    try:
        os.open(path, os.O_WRONLY | os.O_NOCTTY)
        print("REACHED", path)
    except OSError:
        pass
print("nobody's terminal")
