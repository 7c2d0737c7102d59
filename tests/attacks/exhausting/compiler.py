"""Gives the compiler nested, long and foldable code."""
# says: 4 programs refused

refused = 0
for program in ("(" * 100_000, "-" * 200_000 + "1", "[" * 150 + "]" * 150, "x = " + "1," * 10**5 + "(" * 300, "\x00"):
    try:
        compile(program, "program", "exec")
        print("compiled", len(program))
    except (SyntaxError, MemoryError, RecursionError, ValueError):
        refused += 1
print(refused, "programs refused")
