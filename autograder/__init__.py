"""Auto-graded notebook exercises for courses that build deep learning from scratch, on nbgrader.

A submission's way:  notebook > session (sandbox > inside/) > student > suite > score > report > feedback
                     evaluate ties these together; nbgrader_plugin, batch and gradebook bring it to nbgrader.
An exercise's way:   exercise > source > build > built
What people are shown is cleaned by scrub and prose; course, reports, export, doctor and cli are what staff use.
What suites import:  testing, compare.  What students' checks.py is made of:  values, checks/.
Both sides share:    wire, values.  The student's process holds nothing else of this package but inside/.
"""

import sys

# jsonschema, which nbformat loads, builds a grammar of IRIs as it is imported if it finds this package: a second of CPU
# in every process, for a format that no notebook has. It does without where there is none.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
