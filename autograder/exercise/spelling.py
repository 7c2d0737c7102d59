"""What a word that nothing is called by was probably meant to be."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches


def did_you_mean(word: str, known: Collection[str]) -> str:
    """The question that follows a sentence about an unknown `word`; where nothing is like it, what there is."""
    if near := get_close_matches(word, known, n=1):
        return f"; did you mean `{near[0]}`?"
    return f" (there are: {', '.join(known) or 'none'})"
