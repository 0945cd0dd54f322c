"""Makes the archives of this folder with NumPy (2.4.6): python make_npz.py

Arrays as other programs may write them: compressed, column-major, big-endian, of types that have no
tensor. The tests that read them name the values.
"""
import io
import os
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, name)


a = np.arange(6, dtype=np.float32).reshape(2, 3)
np.savez_compressed(
    path("kinds.npz"),
    float32=a,
    fortran=np.asfortranarray(a),
    big_endian=a.astype(">f4"),
    big_complex=np.array([1 + 2j, 3 - 4j], dtype=">c8"),
    float16=np.array([0.5, -2], np.float16),
    bool=np.array([True, False]),
    scalar=np.array(7, np.int64),
    empty=np.zeros((0, 3), np.uint8),
    unicode=np.array(["a", "", "äö€😀"]),
    big_unicode=np.array(["ab", "c"]).astype(">U2"),
    bytes=np.array([b"xy", b"z"]),
    void2=np.array([0x3F80, 0x4000], np.uint16).view("V2"),
    **{"a/b.c:0": np.array([1], np.int8), "../up": np.array([2], np.int8)},
)
np.savez(path("objects.npz"), x=np.array([None, 1], dtype=object))
np.savez(path("records.npz"), x=np.zeros(2, dtype=[("a", "f4"), ("b", "i4")]))
np.savez(path("dates.npz"), x=np.array(["2024-01-01"], dtype="M8[D]"))
# ZIP64 sizes although nothing is large.
with zipfile.ZipFile(path("zip64.npz"), "w") as z:
    with z.open("x.npy", "w", force_zip64=True) as f:
        np.lib.format.write_array(f, a)


def raw(header, data, version=1):
    """An .npy with any header."""
    text = header.encode() + b"\n"
    size = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def archive(name, data, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path(name), "w", method) as z:
        z.writestr("x.npy", data)


head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }"
archive("bad_short.npz", raw(head % ("<f4", "(2, 3)"), bytes(20)))
archive("bad_long.npz", raw(head % ("<f4", "(2, 3)"), bytes(28)))
archive("bad_overflow.npz", raw(head % ("<f4", "(4611686018427387904, 4)"), b""))
archive("bad_negative.npz", raw(head % ("<f4", "(-1, 4)"), b""))
archive("bad_strings.npz", raw(head % ("<U0", "(1000000000000,)"), b""))
archive("bad_header.npz", raw("{'descr': '<f4', 'shape': (1,)}", bytes(4)))
archive("bad_magic.npz", b"hello")
archive("version3.npz", raw(head % ("<i2", "(1,)"), b"\x05\x00", version=3))

# A central directory that claims 2^40 bytes for an entry of some bytes.
with zipfile.ZipFile(path("bomb.npz"), "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("x.npy", raw(head % ("|u1", "(1099511627776,)"), bytes(100)))
    z.infolist()[0].file_size = 1 << 40
good = io.BytesIO()
np.savez(good, x=np.arange(100))
data = bytearray(good.getvalue())
open(path("truncated.npz"), "wb").write(data[: len(data) // 2])
data[300] ^= 1
open(path("bad_checksum.npz"), "wb").write(data)
