"""Asks a server of the machine, and one far away, over HTTP."""
# says: Operation not permitted
# stopped by: namespaces seccomp landlock

import http.client
import urllib.error
import urllib.request

for address in (f"127.0.0.1:{TCP_PORT}", f"localhost:{TCP_PORT}", "192.0.2.1"):
    try:
        http.client.HTTPConnection(address, timeout=0.3).request("GET", "/secrets")
        print("REACHED", address)
    except OSError as error:
        print(error)
try:
    urllib.request.urlopen(f"http://127.0.0.1:{TCP_PORT}/", timeout=0.2)
except urllib.error.URLError as error:
    print(error)
except TimeoutError:
    print("REACHED")
