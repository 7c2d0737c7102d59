"""What a process of ours does first. Importing the package does none of it: the process may be somebody else's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def skip_unused_grammar() -> None:
    """Spare this process a second of CPU; to be called before nbformat is imported.

    jsonschema, which nbformat loads, builds a grammar of IRIs as it is imported if it finds this package, for a format
    that no notebook has. It does without where there is none.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


@contextmanager
def log_to_stderr(verbose: bool) -> Iterator[None]:
    """Write what our loggers say to stderr: all of it, or warnings alone. Other libraries' stay as they are."""
    import logging  # help needs none of it, and has to come at once

    log = logging.getLogger("autograder")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s [%(process)d] %(name)s: %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.DEBUG if verbose else logging.WARNING)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)
