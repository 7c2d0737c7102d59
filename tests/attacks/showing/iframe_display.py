"""Displays frames and links that load a page from elsewhere."""
# says: IPython.lib.display.IFrame

from IPython.display import FileLink, IFrame, display

display(IFrame("javascript:alert('evil')", 100, 100), FileLink("/etc/passwd", url_prefix="javascript:alert('evil')//"))
