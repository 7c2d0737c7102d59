"""Displays as an image the bytes of a page with a script, for a browser that looks at the bytes and not at the type."""
# says: there is no function `double`

from IPython.display import display

display({"image/png": b"<html><script>alert('evil')</script></html>"}, raw=True)
display({"image/jpeg": b"<svg onload=alert('evil')>"}, raw=True)
