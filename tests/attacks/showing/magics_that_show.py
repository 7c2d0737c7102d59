"""Shows HTML, scripts, vector images and LaTeX through the cell magics that are there for it."""
# says: IPython.core.display.SVG object

shell = get_ipython()
shell.run_cell_magic("html", "", "<script>alert('evil')</script>")
shell.run_cell_magic("javascript", "", "alert('evil')")
shell.run_cell_magic("svg", "", "<svg xmlns='http://www.w3.org/2000/svg' onload='evil()'></svg>")
shell.run_cell_magic("latex", "", r"\href{javascript:alert('evil')}{x}")
shell.run_cell_magic("markdown", "", "<img src=x onerror=alert('evil')>")
