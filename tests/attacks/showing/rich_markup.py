"""Raises an error in the markup that the command line's library for tables would follow."""
# says: [link=https://localhost/evil]click[/link]


def double(x):
    raise ValueError("[red]4 of 4 points[/red] [link=https://localhost/evil]click[/link] [/] [bold")
