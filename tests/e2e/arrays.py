# SPDX-License-Identifier: Apache-2.0
# .npy files without NumPy, for the tests of the commands that work on them.
import struct

# NumPy's type: struct's letter.
LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}


def save(path, dtype, values, shape=None):
    """Writes numbers, complex ones for c8 and c16, in C order."""
    values = list(values)
    shape = tuple(shape) if shape is not None else (len(values),)
    header = "{'descr': '%s%s', 'fortran_order': False, 'shape': %r, }\n" % ("|" if dtype[1:] == "1" else "<", dtype, shape)
    if dtype[0] == "c":
        values = [part for z in values for part in (complex(z).real, complex(z).imag)]
        dtype = "f%d" % (int(dtype[1:]) // 2)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%d%s" % (len(values), LETTERS[dtype]), *values))


def load(path):
    """The type, the shape and the numbers of a file that Koine wrote."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    start = 10 + struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:start].decode(), {"__builtins__": {}}, {"True": True, "False": False})
    assert not header["fortran_order"]
    dtype = header["descr"][1:]
    real = "f%d" % (int(dtype[1:]) // 2) if dtype[0] == "c" else dtype
    size = struct.calcsize("<" + LETTERS[real])
    assert (len(data) - start) % size == 0
    values = struct.unpack("<%d%s" % ((len(data) - start) // size, LETTERS[real]), data[start:])
    if dtype[0] == "c":
        values = tuple(complex(*pair) for pair in zip(values[::2], values[1::2]))
    return dtype, header["shape"], values


def single(value):
    """Rounded to float."""
    return struct.unpack("<f", struct.pack("<f", value))[0]
