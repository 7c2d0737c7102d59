"""Shows an object whose own representations are HTML, a script, Markdown, LaTeX and a vector image."""
# says: an honest object


class Shown:
    def __repr__(self):
        return "an honest object"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {
            "text/html": "<script>alert('evil')</script>",
            "text/markdown": "[evil](javascript:alert(1))",
            "text/latex": r"$\href{javascript:alert('evil')}{x}$",
            "application/javascript": "alert('evil')",
            "image/svg+xml": "<svg onload=alert('evil')></svg>",
            "text/plain": repr(self),
        }

    _repr_html_ = lambda self: "<script>alert('evil')</script>"
    _repr_svg_ = lambda self: "<svg onload=alert('evil')></svg>"
    _repr_javascript_ = lambda self: "alert('evil')"


Shown()
