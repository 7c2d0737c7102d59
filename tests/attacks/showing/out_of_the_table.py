"""Raises an error that would leave a table, a code span, a fence and a comment of Markdown or HTML."""
# says: &lt;/code&gt;&lt;/td&gt;


def double(x):
    table = "| 4 of 4 |\n|---|\n```\n</code></td></table><!-- ` -->"
    raise ValueError(table + "\n\n# evil\n\n[x](javascript:alert(1)) ![x](//evil)")
