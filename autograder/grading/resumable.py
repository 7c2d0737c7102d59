"""A function that waits in its middle for the next input, however many calls lie between, and all in one thread.

For what calls us back and cannot be called step by step, such as a test runner's loop. A thread would do as well, but
signals, and with them Ctrl-C, reach the main thread alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from greenlet import getcurrent, greenlet

Input = TypeVar("Input")
Output = TypeVar("Output")


class Resumable(Generic[Input, Output]):
    """A call of `function`, which stops at each `wait` and goes on at the next `resume`.

    ended: whether the function has returned or raised; let it come to that, what waits is never freed. result: what it
    returned.
    """

    def __init__(self, function: Callable[[], Output]) -> None:
        self._function = greenlet(function)
        self.result: Output | None = None

    @property
    def ended(self) -> bool:
        return bool(self._function.dead)

    def resume(self, value: Input | None = None) -> None:
        """Let the function run until it waits or ends; the first time from its start, with no use for `value`.

        Errors: RuntimeError where it has ended before; ValueError in another thread than the first; what it raises.
        """
        if self.ended:
            raise RuntimeError("the function has ended")
        self._function.parent = getcurrent()
        came = self._function.switch(*([value] if self._function else []))
        if self.ended:
            self.result = came

    def wait(self) -> Input | None:
        """Only for what the function calls: give way; the value of the `resume` that ends the waiting."""
        value: Input | None = self._function.parent.switch()
        return value
