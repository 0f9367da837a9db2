"""GIF and BMP files byte by byte, whole ones and such as no program would write."""

import struct

COLORS = bytes([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120])


def _compressed(indices, bits):
    """As LZW of codes that are all literal: the table is thrown away before codes grow."""
    clear, end, width = 1 << bits, (1 << bits) + 1, bits + 1
    codes = []
    for start in range(0, max(len(indices), 1), clear - 2):
        codes += [clear, *indices[start:start + clear - 2]]
    packed, number = 0, 0
    for code in [*codes, end]:
        packed |= code << number
        number += width
    data = packed.to_bytes((number + 7) // 8, "little")
    blocks = [data[start:start + 255] for start in range(0, len(data), 255)]
    return bytes([bits]) + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def gif_frame(left, top, width, height, indices, bits=2, colors=b"", interlaced=False, transparent=None, disposal=0):
    control = b""
    if transparent is not None or disposal:
        control = b"\x21\xf9\x04" + bytes([disposal << 2 | (transparent is not None), 0, 0, transparent or 0, 0])
    flags = interlaced << 6 | (0x80 | (len(colors) // 3 - 1).bit_length() - 1 if colors else 0)
    return control + b"\x2c" + struct.pack("<HHHHB", left, top, width, height, flags) + colors + _compressed(indices, bits)


def gif(width, height, *frames, colors=COLORS, version=b"89a", trailer=b"\x3b"):
    flags = 0x80 | (len(colors) // 3 - 1).bit_length() - 1 if colors else 0
    return b"GIF" + version + struct.pack("<HHBBB", width, height, flags, 0, 0) + colors + b"".join(frames) + trailer


def gifs():
    """By name; every frame that is drawn is one or two pixels of the four colors wide."""
    square = gif_frame(0, 0, 2, 2, [0, 1, 2, 3])
    line = gif_frame(0, 0, 2, 1, [0, 1])
    comment = b"\x21\xfe\x05hello\x00"
    return {
        "one frame": gif(2, 2, square),
        "interlaced": gif(2, 9, gif_frame(0, 0, 2, 9, [i % 4 for i in range(18)], interlaced=True)),
        "interlaced and cut": gif(2, 9, gif_frame(0, 0, 2, 9, [i % 4 for i in range(11)], interlaced=True)),
        "a part changes": gif(3, 3, gif_frame(0, 0, 3, 3, [1] * 9), gif_frame(1, 1, 2, 1, [2, 3])),
        "the first is a part": gif(4, 3, gif_frame(1, 1, 2, 1, [2, 3]), gif_frame(0, 0, 4, 3, [1] * 12)),
        "smaller than its screen": gif(10, 10, gif_frame(1, 1, 2, 1, [2, 3]), gif_frame(0, 0, 1, 1, [1])),
        "larger than its screen": gif(1, 1, gif_frame(0, 0, 2, 1, [2, 3])),
        "transparent": gif(2, 2, gif_frame(0, 0, 2, 2, [0, 1, 2, 3], transparent=1), gif_frame(0, 0, 2, 2, [1, 1, 0, 0], transparent=1)),
        "transparent beyond its colors": gif(2, 1, gif_frame(0, 0, 2, 1, [3, 0], transparent=3), colors=COLORS[:6]),
        "disposals": gif(2, 2, gif_frame(0, 0, 2, 2, [0, 1, 2, 3], disposal=2), gif_frame(0, 0, 1, 1, [1], disposal=3), gif_frame(1, 1, 1, 1, [1])),
        "two controls": gif(2, 1, gif_frame(0, 0, 2, 1, [0, 1], transparent=0)[:8] + gif_frame(0, 0, 2, 1, [0, 1], transparent=1)),
        "a control of three bytes": gif(2, 1, b"\x21\xf9\x03\x01\x00\x00\x00" + line),
        "a control for nothing": gif(2, 1, gif_frame(0, 0, 2, 1, [0, 1], transparent=0)[:8] + comment + line + line),
        "comment": gif(2, 1, comment + line, line + comment),
        "an unknown extension": gif(2, 1, b"\x21\x77\x02ab\x01c\x00" + line),
        "own colors": gif(2, 1, gif_frame(0, 0, 2, 1, [0, 1], colors=bytes(range(200, 206)))),
        "no colors": gif(2, 1, line, colors=b""),
        "no colors of the second": gif(2, 1, gif_frame(0, 0, 2, 1, [0, 1], colors=COLORS), line, colors=b""),
        "an index too large": gif(2, 1, gif_frame(0, 0, 2, 1, [0, 3]), colors=COLORS[:6]),
        "an index too large in the second": gif(2, 1, line, gif_frame(0, 0, 2, 1, [3, 0]), colors=COLORS[:6]),
        "no frames": gif(2, 1),
        "no end": gif(2, 1, line, trailer=b""),
        "nonsense at the end": gif(2, 1, line, trailer=b"xyz"),
        "a frame of nothing": gif(0, 0, gif_frame(0, 0, 0, 0, [])),
        "a second frame of nothing": gif(2, 1, line, gif_frame(0, 0, 0, 1, [])),
        "pixels are missing": gif(2, 2, gif_frame(0, 0, 2, 2, [0, 1])),
        "pixels of the second are missing": gif(2, 2, square, gif_frame(0, 0, 2, 2, [3, 3])),
        "too many pixels": gif(2, 1, gif_frame(0, 0, 2, 1, [0, 1, 2, 3])),
        "huge": gif(65535, 65535, gif_frame(0, 0, 65535, 65535, [0, 1, 2, 3])),
        "old": gif(2, 1, line, version=b"87a"),
        "of no version": gif(2, 1, line, version=b"8xx"),
        "outside": gif(9, 9, gif_frame(5, 5, 2, 1, [0, 1]), gif_frame(1, 0, 2, 1, [2, 3])),
        "many colors": gif(16, 17, gif_frame(0, 0, 16, 17, [i % 256 for i in range(272)], bits=8), colors=bytes(i % 256 for i in range(768))),
        "a frame that is not compressed": gif(2, 1, line[:10] + b"\x0d\x01\x00\x00"),
        "four bytes": b"GIF8",
        "signature": b"GIF89a",
    }


def bmp(width, height, bits, data, offset=54, compression=0):
    return (b"BM" + struct.pack("<IHHi", 54 + len(data), 0, 0, offset)
            + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, len(data), 0, 0, 0, 0) + data)


def bmps():
    pixels = bytes(range(1, 200))
    files = {
        "rgb": bmp(3, 2, 24, pixels[:24]), "grey": bmp(3, 2, 8, pixels[:8]), "rgba": bmp(2, 2, 32, pixels[:16]),
        "rgb downwards": bmp(2, -2, 24, pixels[:16]), "grey downwards": bmp(3, -2, 8, pixels[:8]), "rgba downwards": bmp(1, -2, 32, pixels[:8]),
        "of 14 bits": bmp(4, 1, 14, pixels[:4]), "compressed": bmp(2, 2, 24, pixels[:16], compression=1),
        "palette": bmp(4, 1, 8, pixels[:12], offset=62),
        "offset 0": bmp(1, 1, 8, b"", offset=50), "head in the pixels": bmp(1, 1, 32, b"", offset=50), "BM": b"BM",
    }
    files |= {f"of {bits} bits": bmp(2, 2, bits, pixels[:16]) for bits in (0, 1, 4, 16, 48, 65535, 65528)}
    files |= {f"{width} x {height}": bmp(width, height, 24, pixels[:16]) for width, height in (
        (0, 2), (2, 0), (-2, 2), (0, 0), (1 << 30, 2), (1 << 16, 1 << 16), (2, -2147483648), (2147483647, 2147483647))}
    files |= {f"at {offset}": bmp(2, 2, 24, pixels[:16], offset=offset) for offset in (0, 53, 58, 70, -1, 1 << 30, 2147483647, -2147483648)}
    files |= {f"{count} bytes": files["rgb"][:count] for count in (10, 31, 32, 53, 77)} | {"a byte more": files["rgb"] + b"x"}
    return files


def damaged(file):
    """Every beginning of it, and a flipped bit and a lost byte at every place."""
    for i in range(len(file)):
        yield file[:i]
        yield file[:i] + bytes([file[i] ^ 1 << i % 8]) + file[i + 1:]
        yield file[:i] + bytes([file[i] ^ 0x80]) + file[i + 1:]
        yield file[:i] + file[i + 1:]
