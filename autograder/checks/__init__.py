"""How values are compared, and what `check(...)` does in students' notebooks."""
