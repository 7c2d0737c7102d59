"""What a public test finds: that it passes, a fault with its reason, or what it waits for.

Part of every `checks.py`.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from traceback import format_exception_only, walk_tb

from autograder.checks.compare import Mismatch, noted
from autograder.checks.known_mistakes import Seen
from autograder.checks.modules import file_of_frame
from autograder.checks.names import UndefinedError, function_name, is_own, names_of, stub_of, undefined_name
from autograder.checks.own_notebook import OwnNotebook

_LONGEST_MESSAGE = 600
_LONGEST_LINE = 120
_MOST_TELLING = ("raised", "type", "shape", "said", "dtype", "changed", "value")  # first


class ToldLater(Exception):
    """A test has found an answer of the right form; whether it is right is told after grading."""


def told_later() -> None:
    """End a public test of which no more may be told than that there is an answer."""
    raise ToldLater


@dataclass(frozen=True)
class Finding:
    """What one public test found.

    kind: of a fault, what is not as it should be. seen: of a fault, what gives it away, which `known_mistakes.py` knows
    again. stub, undefined: the function that the test waits for, which is not
    written or not defined. is_open: whether there is an answer, of which more is told after grading.
    """

    sentence: str
    fault: str = ""
    kind: str = ""
    seen: Seen | None = None
    stub: str = ""
    undefined: str = ""
    is_open: bool = False

    @property
    def waits(self) -> bool:
        return bool(self.stub or self.undefined)

    @property
    def passed(self) -> bool:
        return not (self.fault or self.waits or self.is_open)

    @property
    def mark(self) -> str:
        return "✗" if self.fault else "·" if self.waits else "?" if self.is_open else "✓"

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands among others: faults first, of these the most telling one."""
        return "✗?·✓".index(self.mark), _MOST_TELLING.index(self.kind) if self.kind else 0


def finding_of(test: Callable[..., None]) -> Finding:
    """Run a public test on this notebook. Errors: KeyboardInterrupt alone."""
    sentence = (test.__doc__ or test.__name__).strip().splitlines()[0]
    try:
        test(OwnNotebook())
    except Mismatch as mismatch:
        return Finding(sentence, str(mismatch), mismatch.kind, _seen(test))
    except ToldLater:
        return Finding(sentence, is_open=True)
    except UndefinedError as error:
        return Finding(sentence, undefined=str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if stub := stub_of(error):
            return Finding(sentence, stub=stub)
        if name := undefined_name(error, names_of("functions") + names_of("variables")):
            return Finding(sentence, undefined=name)
        return Finding(sentence, _told_error(error), "raised", _seen(test))
    return Finding(sentence)


def _seen(test: Callable[..., None]) -> Seen:
    """Run a test that finds a fault once more, past what it would end with, for all that gives the fault away."""
    seen = Seen()
    ended = ""
    with noted() as mismatches:
        try:
            test(OwnNotebook())
        except Mismatch as mismatch:
            mismatches.append(mismatch)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            ended = _message(error)
    for one in mismatches:
        # A sentence on values has digits in it, which are not the same everywhere.
        seen.note(one.kind, "" if one.kind == "value" else str(one), value=one.value)
    seen.note(ended)
    return seen


def _message(error: BaseException) -> str:
    return "".join(format_exception_only(error)).strip()[:_LONGEST_MESSAGE]


def _told_error(error: BaseException) -> str:
    """Say what a student's code raised, and in which line of the student's cell."""
    message = _message(error)
    steps = [step for step in walk_tb(error.__traceback__) if is_own(step[0])]
    if not steps:
        return f"{message}\n(when this check calls your function, or works with what it returned)"
    frame, line = steps[-1]
    where = file_of_frame(frame) or f"the cell that defines `{function_name(frame)}`"
    told = f"{message}\n(in line {line} of {where})"
    return "\n".join([told, *_marked_line(frame.f_code.co_filename, line)])


def _marked_line(file: str, line: int) -> list[str]:
    """Return a line of a cell with a mark, and the one before it; nothing where the text is not known."""
    texts = {number: linecache.getline(file, number).rstrip() for number in (line - 1, line)}
    if not texts[line]:
        return []
    return [f"{'→' if n == line else ' '} {n:>3}  {text[:_LONGEST_LINE]}" for n, text in texts.items() if text]
