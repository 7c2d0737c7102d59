"""A class in the formats of other systems. A format is a module, or a function of `tables`; `formats` has them all."""
