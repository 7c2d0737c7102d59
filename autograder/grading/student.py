"""What hidden tests call `student`: what one submission defines, in the student's process.

    student.residual(x, f)                  call a function; the result crosses by value
    student.Scalar(2.0)                     make an object; it stays there, and remote.py says what can be done with it
    student.dW                              the value of a variable that the task names
    student.put(x), student.get(handle)     keep a value on the student's side, look at it again
    student.error("residual", x, f)         the exception that a call must raise; also of a method: error(a.backward)
    student.gradients("block", *tensors, upstream=g)    the result and its vector-Jacobian products
    student.module_gradients(module, *tensors)          those of a module's parameters, too
    student.layout(module)                              the shapes of its parameters and buffers, by name

What gives no value raises `StudentFailure`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from msgspec.structs import replace

from autograder.checks.compare import Mismatch
from autograder.grading.remote import Remote
from autograder.grading.site import Defined, Site, StudentFailure
from autograder.grading.trace import Recorder
from autograder.isolation.replies import Raised
from autograder.isolation.session import Session
from autograder.scrub import scrub
from autograder.values import Handle


class Student:
    """The handle of one hidden test of `task` on the notebook in one of its states, by default as it stood at the
    task's grade cell. recorder, dtypes: as in `Site`.

    functions, variables: the names that the task asks for; a variable is looked at, all else can be called.
    """

    def __init__(
        self,
        session: Session,
        task: str,
        recorder: Recorder | None = None,
        dtypes: set[str] | None = None,
        state: str | None = None,
        functions: Collection[str] | None = None,
        variables: Collection[str] = (),
    ) -> None:
        self._variables = variables
        self._site = Site(
            session=session,
            task=task,
            state=task if state is None else state,
            recorder=recorder or Recorder(),
            dtypes=set() if dtypes is None else dtypes,
            own=None if functions is None else {*functions, *variables},
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._site.look(name) if name in self._variables else Defined(self._site, name)

    def error(self, call: str | Callable[..., Any], *arguments: Any, **keywords: Any) -> Raised:
        """The exception that a call raises; its `type` is the nearest of Python's own types, so that of a subclass of
        ValueError is "ValueError".

        call: the name of a function; or what is called itself: a method of an object of the student's, or a function of
        the test's that does with one what must not be done. Errors: Mismatch where it raises none.
        """
        function = getattr(self, call) if isinstance(call, str) else call
        try:
            function(*arguments, **keywords)
        except StudentFailure as failure:
            if failure.raised is None:
                raise
            return replace(failure.raised, message=scrub(failure.raised.message), where=scrub(failure.raised.where))
        raise Mismatch(f"`{call}` raised no error here" if isinstance(call, str) else "this raised no error here")

    def put(self, value: Any) -> Remote:
        """Keep a copy of `value` in the student's process."""
        handle = self._site.request("put", "keep", value=value)
        return handle if isinstance(handle, Remote) else self._site.tampered()

    def get(self, handle: Handle) -> Any:
        """What the value behind `handle` is now."""
        return self._site.request("get", "fetch", value=handle)

    def gradients(self, call: str | Remote, *arguments: Any, upstream: Any = None) -> tuple[Any, tuple[Any, ...]]:
        """The result for copies of the tensors that require gradients, and the gradient or None for each argument.

        call: the name of a function, or an object that can be called. upstream: the gradient at the result; all ones by
        default.
        """
        name = call if isinstance(call, str) else call.handle_type
        answer = self._site.request(name, "gradients", name=call, arguments=[*arguments], upstream=upstream)
        match answer:
            case (result, [*gradients]) if len(gradients) == len(arguments):
                return result, tuple(gradients)
        self._site.tampered()

    def module_gradients(
        self, module: Remote, *inputs: Any, upstream: Any = None
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """As `gradients` for a PyTorch module, and the gradient or None for each parameter, by its name."""
        asked = {"module": module, "arguments": [*inputs], "upstream": upstream}
        match self._site.request(module.handle_type, "module_gradients", **asked):
            case (result, [*gradients], dict() as parameters) if len(gradients) == len(inputs):
                return result, tuple(gradients), parameters
        self._site.tampered()

    def layout(self, module: Remote) -> dict[str, Any]:
        """The shapes of a PyTorch module's parameters and buffers, by name; not their entries, which may be drawn."""
        found = self._site.request(module.handle_type, "layout", module=module)
        return found if isinstance(found, dict) else self._site.tampered()
