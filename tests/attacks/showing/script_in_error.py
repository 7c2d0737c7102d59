"""Puts a script into the message of an exception, for whoever opens the page."""
# says: &lt;script&gt;


def double(x):
    raise ValueError("<script>alert(1)</script>")
