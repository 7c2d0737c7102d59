"""The outputs of cells made presentable: cleaned texts and images encoded anew, as long as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from autograder.exercise.definition import Limits
from autograder.isolation.images import made_anew
from autograder.isolation.replies import Display, Error, Kind, Output, Result, Stream
from autograder.scrub import scrub

_MIB = 1 << 20
_NOTICE = 1 << 16  # bytes that notices and the form of the outputs may take beyond the room
_MEGAPIXELS = 128  # of all images together: seconds of the grader's time
_TOO_MUCH = "[more output than all cells of a graded notebook may have together; this cell's is left out]\n"


class Outputs:
    """Makes the outputs of one submission presentable. is_cut: whether there was no room for all."""

    def __init__(self, limits: Limits) -> None:
        self.is_cut = False
        self._most = limits.total_output
        self._room = limits.output * _MIB
        self._left = limits.total_output * _MIB
        self._pixels_left = _MEGAPIXELS * 1_000_000

    @property
    def most(self) -> str:
        """How much there may be, in words."""
        return f"{self._most} MiB or {_MEGAPIXELS} million pixels"

    @property
    def used(self) -> float:
        """How many MiB of what there may be are taken."""
        return self._most - self._left / _MIB

    def presentable(self, outputs: Sequence[Output]) -> list[dict[str, Any]]:
        """One cell's outputs as nbformat has them; a notice alone from the cell on that takes more than is left."""
        if not outputs:
            return []
        if not self.is_cut:
            shown = self._shown(outputs)
            self._left -= len(msgspec.json.encode(shown))
            self.is_cut = min(self._left, self._pixels_left) < 0
        return [{"output_type": "stream", "name": "stderr", "text": _TOO_MUCH}] if self.is_cut else shown

    def _shown(self, outputs: Sequence[Output]) -> list[dict[str, Any]]:
        """As long as there is room; an honest process keeps to it by itself."""
        shown: list[dict[str, Any]] = []
        room = self._room
        for output in outputs:
            item = msgspec.to_builtins(self._cleaned(output))
            room -= len(str(item))
            if room < -_NOTICE:
                break
            shown.append(item)
        return shown

    def _cleaned(self, output: Output) -> Output:
        match output:
            case Stream():
                return replace(output, text=scrub(output.text))
            case Display() | Result():
                return replace(output, data=self._plain_data(output.data), metadata={})
            case Error():
                lines = [scrub(line) for line in output.traceback]
                return replace(output, ename=scrub(output.ename), evalue=scrub(output.evalue), traceback=lines)
        return output

    def _plain_data(self, data: dict[Kind, str]) -> dict[str, str]:
        """With a text always, for what is no image is left out."""
        plain: dict[str, str] = {}
        for kind, text in data.items():
            if kind == "text/plain":
                plain[kind] = scrub(text)
            elif self._pixels_left >= 0 and (picture := made_anew(text, kind)):
                self._pixels_left -= picture.pixels
                plain[kind] = picture.text
        return plain if plain.get("text/plain") else {**plain, "text/plain": " "}
