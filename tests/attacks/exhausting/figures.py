"""Draws figures that are larger than memory, and hundreds of small ones."""
# says: 0 of 13 points

import matplotlib.pyplot as plt

try:
    plt.figure(figsize=(2000, 2000))
    plt.plot([1, 2])
    plt.show()
except (MemoryError, ValueError):
    print("too large")
plt.close("all")
for _ in range(200):
    plt.figure(figsize=(1, 1))
