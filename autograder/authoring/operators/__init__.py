"""Kinds of small mistakes in the text of a function, a class or a variable."""
