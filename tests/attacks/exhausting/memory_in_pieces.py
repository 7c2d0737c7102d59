"""Takes 700 megabytes in small pieces, and holds on to them."""
# says: it used more memory than 256 MiB | it was not done after
# stopped by: limits cgroup

pieces = []
for number in range(700):
    pieces.append(b"x" * (1 << 20))
    if number == 500:
        print("REACHED")
