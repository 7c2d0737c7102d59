"""A student's images made anew: decoded and encoded again, so that pixels go on and nothing that came with them.

The decoders take hostile bytes in the grader's process. So these are few, for two formats, and told beforehand how much
there may be.
"""

from __future__ import annotations

import base64
import io
import warnings
import zlib
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
_OPAQUE = (255, 255)
# A figure takes two thirds of the time of PNG's usual compression, without its alpha channel, and no more room.
_OPTIONS = {"image/png": {"compress_type": zlib.Z_RLE}, "image/jpeg": {"quality": 90}}


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
    """In a mode that says all of itself: no palette, no colour that means transparent, no alpha that says nothing."""
    if kind == "image/png" and image.mode != "RGBA" and image.has_transparency_data:
        return image.convert("RGBA")
    is_opaque = image.mode == "RGBA" and image.getchannel("A").getextrema() == _OPAQUE
    return image.copy() if image.mode in _MODES[kind] and not is_opaque else image.convert("RGB")


def _encoded(image: Image.Image, kind: ImageKind) -> Picture:
    image.info.clear()  # or comments and colour profiles go on
    written = io.BytesIO()
    image.save(written, _FORMATS[kind], **_OPTIONS[kind])
    return Picture(base64.b64encode(written.getvalue()).decode(), image.width * image.height)
