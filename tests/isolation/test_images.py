"""An image of a student's is one of the grader's own afterwards: the same to look at, and nothing but pixels."""

from __future__ import annotations

import base64
import io
import random
import resource
import struct
import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from autograder.isolation.images import ImageKind, made_anew

PNG: ImageKind = "image/png"
JPEG: ImageKind = "image/jpeg"
SECRET = b"a comment that nobody sees"


def picture(mode: str, size: tuple[int, int] = (40, 30)) -> Image.Image:
    noise = np.random.default_rng(0).integers(0, 255, (size[1], size[0], 4), np.uint8)
    return Image.fromarray(noise, "RGBA").convert(mode)


def file_of(image: Image.Image, kind: str, **options: Any) -> bytes:
    written = io.BytesIO()
    image.save(written, {PNG: "PNG", JPEG: "JPEG", "gif": "GIF", "tiff": "TIFF"}[kind], **options)
    return written.getvalue()


def anew(data: bytes, kind: ImageKind) -> Image.Image | None:
    made = made_anew(base64.b64encode(data).decode(), kind)
    if made is None:
        return None
    image = Image.open(io.BytesIO(base64.b64decode(made.text)))
    image.load()
    assert image.width * image.height == made.pixels
    return image


def shown(image: Image.Image) -> bytes:
    return image.convert("RGBA").tobytes()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))


def bomb(width: int, height: int) -> bytes:
    """A small PNG that says to be large, and is."""
    rows = zlib.compressobj(9)
    line = bytes(1 + (width + 7) // 8)
    packed = b"".join(rows.compress(line) for _ in range(min(height, 20_000))) + rows.flush()
    head = struct.pack("!IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def with_palette(transparent: bool) -> bytes:
    image = picture("RGB").quantize(16)
    return file_of(image, PNG, **({"transparency": 3} if transparent else {}))


def animated() -> bytes:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    return file_of(frames[0], PNG, save_all=True, append_images=frames[1:])


PNGS = {mode: file_of(picture(mode), PNG) for mode in ("1", "L", "LA", "RGB", "RGBA")} | {
    "a palette": with_palette(False),
    "a transparent colour of a palette": with_palette(True),
    "a transparent colour": file_of(picture("RGB"), PNG, transparency=(0, 0, 0)),
    "an animation": animated(),
    "an alpha channel that says nothing": file_of(picture("RGB").convert("RGBA"), PNG),
    "one pixel": file_of(picture("RGB", (1, 1)), PNG),
}


@pytest.mark.parametrize("data", list(PNGS.values()), ids=list(PNGS))
def test_a_png_looks_the_same(data: bytes) -> None:
    before, after = Image.open(io.BytesIO(data)), anew(data, PNG)
    assert after
    assert (after.format, after.size, getattr(after, "n_frames", 1)) == ("PNG", before.size, 1)
    assert shown(after) == shown(before)


def test_a_png_of_sixteen_bits_keeps_them() -> None:
    grey = Image.fromarray(np.arange(0, 60_000, 100, np.uint16).reshape(20, 30))
    after = anew(file_of(grey, PNG), PNG)
    assert after
    assert np.array_equal(np.asarray(after), np.asarray(grey))


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_looks_much_the_same(mode: str, progressive: bool) -> None:
    smooth = Image.linear_gradient("L").convert("RGB").convert(mode)
    data = file_of(smooth, JPEG, progressive=progressive)
    after = anew(data, JPEG)
    assert after
    assert (after.format, after.mode) == ("JPEG", "L" if mode == "L" else "RGB")
    before = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), int)
    assert np.abs(np.asarray(after.convert("RGB"), int) - before).max() < 16


def test_nothing_but_pixels_goes_on() -> None:
    said = PngImagePlugin.PngInfo()
    said.add_text("Comment", SECRET.decode())
    profile = SECRET * 10
    png = file_of(picture("RGB"), PNG, pnginfo=said, icc_profile=profile, exif=SECRET, dpi=(7, 7)) + SECRET
    jpeg = file_of(picture("RGB"), JPEG, comment=SECRET, icc_profile=profile, exif=b"Exif\0\0" + SECRET) + SECRET
    for data, kind in ((png, PNG), (jpeg, JPEG)):
        after = anew(data, kind)
        assert after
        assert set(after.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
        made = made_anew(base64.b64encode(data).decode(), kind)
        assert made
        assert SECRET not in base64.b64decode(made.text)


NO_IMAGES = {
    "nothing": (b"", PNG),
    "a page": (b"<html><script>alert('evil')</script></html>", PNG),
    "a GIF": (file_of(picture("P"), "gif"), PNG),
    "a TIFF": (file_of(picture("RGB"), "tiff"), JPEG),
    "a PNG that is called a JPEG": (PNGS["RGB"], JPEG),
    "a JPEG that is called a PNG": (file_of(picture("RGB"), JPEG), PNG),
    "half a PNG": (PNGS["RGB"][: len(PNGS["RGB"]) // 2], PNG),
    "half a JPEG": (file_of(picture("RGB"), JPEG)[:500], JPEG),
    "a bomb": (bomb(20_000, 20_000), PNG),
    "a bomb that Pillow would only warn of": (bomb(10_000, 10_000), PNG),
    "a bomb that Pillow takes": (bomb(4_001, 4_000), PNG),
    "sides beyond all sense": (bomb(1, 2**31 - 1), PNG),
    "a JPEG of a thousand scans": (file_of(picture("RGB"), JPEG, progressive=True) + b"\xff\xda" * 1000, JPEG),
}


@pytest.mark.parametrize(("data", "kind"), list(NO_IMAGES.values()), ids=list(NO_IMAGES))
def test_what_is_no_image_of_that_kind_or_too_large_is_none(data: bytes, kind: ImageKind) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made_anew(base64.b64encode(data).decode(), kind) is None


def test_a_text_that_is_no_base64_or_very_long_is_no_image() -> None:
    assert made_anew("ünbedenklich", PNG) is None
    assert made_anew("A" * (8 << 20) + base64.b64encode(PNGS["RGB"]).decode(), PNG) is None


def test_the_largest_image_that_may_be_is_made_anew_and_pillows_own_bounds_stay() -> None:
    before = Image.MAX_IMAGE_PIXELS
    after = anew(bomb(4_000, 4_000), PNG)
    assert after
    assert after.size == (4_000, 4_000)
    assert before == Image.MAX_IMAGE_PIXELS


SEEDS = [(data, PNG) for data in PNGS.values()] + [
    (file_of(picture(mode), JPEG, progressive=progressive), JPEG)
    for mode in ("L", "RGB", "CMYK")
    for progressive in (False, True)
]


@settings(max_examples=400)
@given(seed=st.sampled_from(SEEDS), chance=st.randoms(use_true_random=False), changes=st.integers(1, 8))
def test_cut_and_changed_bytes_never_raise_nor_take_more_than_bounded_memory(
    seed: tuple[bytes, ImageKind], chance: random.Random, changes: int
) -> None:
    data, kind = bytearray(seed[0]), seed[1]
    for _ in range(changes):
        place = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                del data[max(place, 1) :]
            case 2:
                data[place:place] = chance.randbytes(chance.randrange(1, 9))
            case _:
                data[place : place + 4] = struct.pack("!I", chance.choice([0, 1, 2**16, 2**31 - 1, 2**32 - 1]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made = made_anew(base64.b64encode(bytes(data)).decode(), kind)
    assert made is None or made.pixels <= 16_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10
