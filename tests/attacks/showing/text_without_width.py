"""Hides text among letters without width, in a message and in the name of an exception."""
# says: double: 0 of 4 points (error)

Hidden = type("Hid\u200bden\u2060\ufeff", (Exception,), {})


def double(x):
    raise Hidden("pass\u200bword\u2063\u2064\u00ad")
