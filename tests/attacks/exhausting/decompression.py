"""Unpacks a few kilobytes that hold gigabytes: a compressed stream, a saved array and a picture."""
# says: 3 times too much

import io
import zipfile
import zlib

import numpy as np

packer = zlib.compressobj(1, zlib.DEFLATED, -15)  # raw: without a checksum, one piece may follow itself
stream = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)) * 600
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
    packed.writestr("array.npy", bytes(64 << 20))
head = io.BytesIO()
np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (90 << 20,)})
too_much = 0
for way in (
    lambda: zlib.decompressobj(-15).decompress(stream),
    lambda: b"".join(zipfile.ZipFile(archive).read("array.npy") for _ in range(10)),
    lambda: np.load(io.BytesIO(head.getvalue())),
):
    try:
        size = len(way())
        print("REACHED", size)
        break
    except (MemoryError, ValueError):
        too_much += 1
print(too_much, "times too much")
