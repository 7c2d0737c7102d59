"""Displays as an image a text that ends the attribute into which it is written."""
# says: there is no function `double`

from IPython.display import display

display({"image/png": '" onerror="alert(\'evil\')" x="'}, raw=True)
display({"image/jpeg": "AAAA'><script>alert('evil')</script>"}, raw=True)
