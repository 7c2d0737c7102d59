"""Auto-graded notebook exercises for courses that build deep learning from scratch, on nbgrader.

Importing this changes nothing in a process. What others may import: `api`, `testing` and `settings`; docs/api.md.

The rooms, in the order in which an exercise and then a submission pass through them:
exercise     an exercise folder, read and built          checks   what compares; students' checks.py is made of it
authoring    an exercise started, and its suite proved   submission   what was handed in, mended
isolation    the grader's side of the student's process  inside   what runs in it; with `wire` and `values` all it holds
grading      one submission: suite, score, feedback      course   the course folder, nbgrader's gradebook, the reports
batch        a class: processes side by side, a cluster  commands   the command line, with `cli` and `startup`
Beside them: `report` (results as data), `errors`, `layout` (where files lie), `scrub` (texts for people), `store`.
"""
