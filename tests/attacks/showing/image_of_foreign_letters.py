"""Displays as an image a text with letters that no base64 has, which a careless decoder does not expect."""
# says: double: 0 of 4 points

from IPython.display import display

display({"image/png": "ünbedenklich"}, raw=True)
