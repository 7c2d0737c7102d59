"""Starts ten thousand threads with the smallest of stacks."""
# says: can't start new thread | it was not done after 1 seconds of computing or 3 seconds of waiting
# stopped by: user cgroup limits

import threading

threading.stack_size(32 << 10)
over = threading.Event()
threads = [threading.Thread(target=over.wait, args=(30,), daemon=True) for _ in range(1500)]
try:
    for number, thread in enumerate(threads):
        thread.start()
        if number == 1000:
            print("REACHED")
except RuntimeError as error:
    print(error)
over.set()
