"""Downloads of the school's system, laid out for grading."""
