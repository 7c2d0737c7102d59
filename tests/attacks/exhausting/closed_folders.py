"""Makes folders and files that whoever has to remove them cannot look into."""
# says: closed

import os

for name, mode in (("nothing", 0o777), ("no list", 0o477), ("no change", 0o277)):
    os.umask(mode)
    os.mkdir(name)
    try:
        os.close(os.open(f"{name}/file", os.O_CREAT | os.O_WRONLY))
    except OSError:
        pass
print("closed")
