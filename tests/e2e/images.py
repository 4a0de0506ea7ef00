# SPDX-License-Identifier: Apache-2.0
# PNG and TIFF files without any library, for the tests of the commands that read them.
import struct
import zlib

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of PNG's colour types


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, bits=8, colour=0):
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))


def png(path, rows, bits=8, colour=0, palette=None):
    """Rows of samples, a pixel's channels one after another; `palette`, of colour type 3, is a list of (r, g, b)."""
    width = len(rows[0]) // CHANNELS[colour]
    letter = ">%dB" if bits == 8 else ">%dH"
    data = b"".join(b"\0" + struct.pack(letter % len(row), *row) for row in rows)
    plte = chunk(b"PLTE", bytes(v for entry in palette for v in entry)) if palette else b""
    with open(path, "wb") as file:
        file.write(header(width, len(rows), bits, colour) + plte + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def tiff(path, pages, letter="B", extra=()):
    """A stack of grey pages, one strip each; `letter` is struct's of a sample: B, H or f. `extra`: more tags of
    each page, (tag, type, count, value)."""
    data, at = b"", 8
    offsets = []
    for rows in pages:
        strip = b"".join(struct.pack("<%d%s" % (len(row), letter), *row) for row in rows)
        strip += b"\0" * (len(strip) % 2)
        size = struct.calcsize("<" + letter)
        tags = [(256, 4, 1, len(rows[0])), (257, 4, 1, len(rows)), (258, 3, 1, 8 * size), (259, 3, 1, 1), (262, 3, 1, 1),
                (273, 4, 1, at), (277, 3, 1, 1), (278, 4, 1, len(rows)), (279, 4, 1, len(strip)),
                (339, 3, 1, 3 if letter == "f" else 1)]
        tags = sorted(tags + list(extra))
        data += strip
        at += len(strip)
        offsets.append(at)
        directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
        data += directory + b"NEXT"
        at += len(directory) + 4
    for following in offsets[1:] + [0]:
        data = data.replace(b"NEXT", struct.pack("<I", following), 1)
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", offsets[0]) + data)


def sums(first, second, most):
    """C(X0, Y0) by its definition: rows Y0 = 0 to `most`, columns X0 = -most to most."""
    height, width = len(first), len(first[0])
    result = []
    for y0 in range(most + 1):
        for x0 in range(-most, most + 1):
            result.append(sum(first[y][x] * second[y + y0][x + x0] for y in range(height - y0)
                              for x in range(max(0, -x0), min(width, width - x0))))
    return result
