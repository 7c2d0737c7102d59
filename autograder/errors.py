"""Faults of the staff or the machine. What a student's code does is never one of these: it is a `Status`.

AutograderError
├── ConfigError      the course or the command is set up wrongly; the message says what to change (exit status 2)
├── ExerciseError    an exercise folder is broken; the message names the file (exit status 2)
└── SandboxError     the isolated process could not be started or spoken to; the work stays ungraded
"""


class AutograderError(Exception):
    """Any fault that is ours, in one sentence that tells a person what to do."""


class ConfigError(AutograderError):
    """The course or the command is set up wrongly."""


class ExerciseError(AutograderError):
    """An exercise folder is broken."""


class SandboxError(AutograderError):
    """The isolated process could not be started or spoken to."""
