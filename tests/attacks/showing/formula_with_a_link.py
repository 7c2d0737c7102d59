"""Raises an error that is a formula with a script for a link, which a page with formulas would typeset."""
# says: double: 0 of 4 points (error)


def double(x):
    link = r"$\href{javascript:alert('evil')}{\Huge\color{green}{4/4}}$"
    raise ValueError(link + r" \(\style{position:fixed}{x}\) $$\require{evil}$$")
