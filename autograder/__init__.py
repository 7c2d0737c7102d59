"""Auto-graded notebook exercises for courses that build deep learning from scratch, on nbgrader.

A submission's way:  notebook > session (sandbox > inside/) > student > suite > score > report > feedback
                     evaluate ties these together; nbgrader_plugin, batch and gradebook bring it to nbgrader.
An exercise's way:   exercise > source > build
What people are shown is cleaned by scrub and prose; course, reports, export, doctor and cli are what staff use.
What suites import:  testing, compare.  What students' checks.py is made of:  compare, checks_runtime.
Both sides share:    wire.  The student's process holds nothing else of this package but inside/.
"""
