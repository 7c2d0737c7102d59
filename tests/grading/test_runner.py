"""The reference runs in the grader's process, with what its functions need and no more."""

from __future__ import annotations

import math
import sys

from autograder.grading.runner import reference_functions


def test_the_reference_has_its_functions_and_the_modules_that_they_use() -> None:
    source = (
        "import math\nimport os.path\nSCALE = 2\n\ndef area(r):\n    return SCALE * math.pi * r\n\ndef p(): return os"
    )
    reference = reference_functions(source, "notebook.py")
    assert reference.area(1.0) == 2 * math.pi
    assert reference.p().path is sys.modules["os.path"]


def test_what_only_the_figures_import_is_not_imported() -> None:
    reference_functions("import turtledemo as plt, antigravity\n\ndef area(r):\n    return r\n", "notebook.py")
    assert not {"turtledemo", "antigravity"} & set(sys.modules)
