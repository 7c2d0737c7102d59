"""Reads accounts, keys, histories, tokens and settings in the home folders and in /etc."""
# says: nobody's home
# stopped by: namespaces landlock

import glob
import os

try:
    homes = {line.split(":")[5] for line in open("/etc/passwd")}
    print("REACHED", len(homes), "accounts")
except OSError:
    homes = set()
homes |= {"/root", os.path.expanduser("~root"), *glob.glob("/home/*")}
FILES = ".ssh/id_rsa .ssh/id_ed25519 .ssh/authorized_keys .bash_history .python_history .netrc .git-credentials"
FILES += " .bashrc .profile .jupyter/jupyter_server_config.json .local/share/jupyter/runtime/jpserver-1.json"
for home in homes:
    for name in FILES.split():
        try:
            text = open(os.path.join(home, name)).read(10)
            print("REACHED", name, len(text))
        except OSError:
            pass
for path in ("/etc/shadow", "/etc/hosts", "/etc/hostname", "/etc/environment", "/etc/jupyter", "/etc/sudoers"):
    try:
        size = len(os.listdir(path) if os.path.isdir(path) else open(path).read())
        print("REACHED", path, size)
    except OSError:
        pass
print("nobody's home")
