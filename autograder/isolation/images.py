"""A student's images made anew: decoded and encoded again, so that pixels go on and nothing that came with them.

The decoders take hostile bytes in the grader's process. So these are few, for two formats, and told beforehand how much
there may be.
"""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass
from typing import Literal

from PIL import Image

ImageKind = Literal["image/png", "image/jpeg"]

_LONGEST = 8 << 20  # characters of base64
_MOST_PIXELS = 16_000_000
_MOST_SCANS = 64  # of a progressive JPEG: each goes over all pixels, however few bytes it has
_SCAN = b"\xff\xda"
_FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG"}
_MODES = {"image/png": ("1", "L", "LA", "RGB", "RGBA", "I;16"), "image/jpeg": ("L", "RGB")}
# Of a figure, level 4 gives the size of Matplotlib's own file in a little less time; 9 takes three times as long.
_OPTIONS = {"image/png": {"compress_level": 4}, "image/jpeg": {"quality": 90}}


@dataclass(frozen=True)
class Picture:
    """An image that is the grader's own: base64, and how many pixels it took."""

    text: str
    pixels: int


def made_anew(text: str, kind: ImageKind) -> Picture | None:
    """The image in the base64 `text`, its first frame; None where it is none of that kind, broken or too large."""
    if len(text) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():  # of what is odd in a file, which would be for its maker to read
            warnings.simplefilter("ignore")
            return _encoded(_decoded(base64.b64decode(text), kind), kind)
    except Exception:  # what the decoders raise for hostile bytes is of any kind
        return None


def _decoded(data: bytes, kind: ImageKind) -> Image.Image:
    """Errors: ValueError where it is too large; any other where it is no image."""
    if kind == "image/jpeg" and data.count(_SCAN) > _MOST_SCANS:
        raise ValueError("too many scans")
    with Image.open(io.BytesIO(data), formats=[_FORMATS[kind]]) as image:
        if image.width * image.height > _MOST_PIXELS:
            raise ValueError("too many pixels")
        image.load()
        return _simple(image, kind)


def _simple(image: Image.Image, kind: ImageKind) -> Image.Image:
    """In a mode that says all of itself, without a palette and without a colour that means transparent."""
    if kind == "image/png" and image.mode != "RGBA" and image.has_transparency_data:
        return image.convert("RGBA")
    return image.copy() if image.mode in _MODES[kind] else image.convert("RGB")


def _encoded(image: Image.Image, kind: ImageKind) -> Picture:
    image.info.clear()  # or comments and colour profiles go on
    written = io.BytesIO()
    image.save(written, _FORMATS[kind], **_OPTIONS[kind])
    return Picture(base64.b64encode(written.getvalue()).decode(), image.width * image.height)
