"""Strings, parsing and summaries."""

import struct

import numpy as np
import small_images

from case import draft, large, malformed
from families import family


def strings(*words):
    return np.array([word.encode() if isinstance(word, str) else word for word in words], object)


@family("StringLower", "StringUpper")
def letters(m):
    for encoding in ("", "utf-8"):
        for shape in ((4,), (2, 3), (), (0,)):
            yield draft(m.values(*shape, of="string"), encoding=encoding)
        yield draft(strings("Straße", "ÀÉ", "ǆ", "İ"), encoding=encoding)
        yield draft(strings("Ωmega ΣΑΣ", "ﬁ ŉ", "ᾳ ΐ", "Ⴀ ꭰ", "𐐨 𐐀", "a\0Z", b"\xff\xc3A", b"\xed\xa0\x80B", "".join(map(chr, range(33, 400)))), encoding=encoding)
    for encoding in ("UTF-8", "latin-1"):
        yield malformed(strings("Aé"), encoding=encoding)
    everything = "".join(chr(code) for code in range(0x2000) if not 0xD800 <= code < 0xE000)
    yield large(strings(everything), encoding="utf-8")


@family("StringLength")
def lengths(m):
    for unit in ("BYTE", "UTF8_CHAR"):
        for shape in ((4,), (2, 3), (), (0,)):
            yield draft(m.values(*shape, of="string"), unit=unit)


@family("StringStrip", "StringToHashBucket2")
def stripped(m):
    for shape in ((4,), (2, 3), (), (0,)):
        yield draft(m.values(*shape, of="string"))
    yield draft(strings("  a ", "\tb\n", "YWJj", " "))
    yield draft(strings("\v\f\r a b\0 ", b"\xa0x\x85", "", "\n"))


@family("DecodeBase64")
def from_base64(m):
    for text in (np.array([[b"YWJj", b""], [b"-_-_", b"YQ"]], object), np.array([], object), np.array(b"YWI=", object)):
        yield draft(text)
    yield draft(strings("  a ", "\tb\n", "YWJj", " "))


@family("EncodeBase64")
def base64(m):
    for pad in (False, True):
        for shape in ((4,), (), (0,)):
            yield draft(m.values(*shape, of="string"), pad=pad)


@family("StringToHashBucketFast", "StringToHashBucket")
def buckets(m):
    for count in (1, 7, 1000, 2**40):
        for shape in ((6,), (2, 3), (), (0,)):
            yield draft(m.values(*shape, of="string"), num_buckets=count)


@family("StringToHashBucketStrong")
def strong_buckets(m):
    for count in (7, 1000):
        yield draft(m.values(6, of="string"), num_buckets=count, key=[123, 456])


@family("StringJoin")
def join(m):
    for separator in ("", ", "):
        for shape in ((4,), (2, 3), (), (0,)):
            yield draft([m.values(*shape, of="string") for _ in range(3)], separator=separator)
        yield draft([m.values(2, of="string"), m.values(of="string")], separator=separator)
        yield draft([m.values(of="string"), m.values(2, 3, of="string"), m.values(of="string")], separator=separator)
        yield draft([m.values(3, of="string")], separator=separator)
    yield draft([m.values(0, of="string"), m.values(of="string")], separator="\0")
    for left, right in (((2,), (3,)), ((2, 3), (3,)), ((2, 1), (2,)), ((1,), (2,)), ((0,), (1,))):
        yield malformed([m.values(*left, of="string"), m.values(*right, of="string")])


@family("StringSplit")
def split(m):
    for skip in (True, False):
        for delimiter in (" ", "", ",;"):
            yield draft(strings("a b,c", "", "d  e;f", " g "), strings(delimiter).reshape(()), skip_empty=skip)
        yield draft(strings(), strings(" ").reshape(()), skip_empty=skip)
        yield draft(strings("", "", ""), strings(",").reshape(()), skip_empty=skip)
        yield draft(strings("été", "日本", b"\xff,a", "a\0b,c"), strings("").reshape(()), skip_empty=skip)
        yield draft(strings(",a,,b,", ";;;"), strings(";,").reshape(()), skip_empty=skip)
    yield malformed(strings("a").reshape(()), strings(" ").reshape(()))
    yield malformed(strings("a"), strings(" "))


@family("StringSplitV2")
def split2(m):
    for separator in ("", ",", "ab"):
        for most in (-1, 1):
            yield draft(strings("a b,c", "", "dabe", " g "), strings(separator).reshape(()), maxsplit=most)


@family("StringToNumber")
def numbers(m):
    whole = m.dtype("out_type").kind in "iu"
    for words in (("1", "23", "0"), ("7",), (), ("  5", "6 ", "+8") if whole else ("1.5", "-2e3", "inf", "nan", " 4 ", ".5")):
        yield draft(strings(*words))
    yield draft(strings("12").reshape(()))
    for word in ("", "abc", "1.5x", "99999999999999999999", "1 2", "-1", "0x10"):
        yield malformed(strings(word))


@family("Substr")
def parts(m):
    words = strings("Hello", "wörld!", "日本語です", "abcdef")
    for unit in ("BYTE", "UTF8_CHAR"):
        for pos, length in ((1, 3), (0, 2), (-3, 2), (2, 0), (1, 100)):
            yield draft(words, m.array(pos, "T"), m.array(length, "T"), unit=unit)
        yield draft(words, m.array((0, 1, 2, 3), "T"), m.array((1, 1, 1, 1), "T"), unit=unit)
        yield draft(words.reshape(2, 2), m.array((0, 1), "T"), m.array((1, 2), "T"), unit=unit)
        yield draft(words[:0], m.array(0, "T"), m.array(1, "T"), unit=unit)
        yield malformed(words, m.array(50, "T"), m.array(1, "T"), unit=unit)
        yield malformed(words, m.array(-50, "T"), m.array(1, "T"), unit=unit)


PATTERNS = ("a", "a.*c", "[0-9]+", "", "(a)(b)?", "é", "^x", "\\d+|y")


@family("StaticRegexFullMatch")
def static_match(m):
    for pattern in PATTERNS:
        yield draft(strings("abc", "a", "", "123", "ab", "éa"), pattern=pattern)
    yield draft(strings(), pattern="a")
    yield draft(m.values(2, 3, of="string"), pattern=".*")
    for pattern in ("(?i)ABC", "a{1,2}b?", "[[:alpha:]]+", "\\p{L}+", "(?s).*", "a|", ".\\z"):
        yield draft(strings("abc", "aab", "Abc", "é日", "x\ny", b"\xff", ""), pattern=pattern)
    for pattern in ("(", "a**", "[z-a]", "a{1001}", "\\", "(?<n>a)(?<n>b)"):
        yield malformed(strings("a"), pattern=pattern)


@family("RegexFullMatch")
def match(m):
    for pattern in PATTERNS:
        yield draft(strings("abc", "a", "", "123", "ab", "éa"), strings(pattern).reshape(()))
    yield malformed(strings("a"), strings("(").reshape(()))


@family("StaticRegexReplace")
def static_replace(m):
    for pattern in PATTERNS:
        for everywhere in (True, False):
            yield draft(strings("abcabc", "a", "", "123 45", "abab", "éa"), pattern=pattern, rewrite="<\\0>", replace_global=everywhere)
    yield malformed(strings("a"), pattern="(", rewrite="")


@family("RegexReplace")
def replace(m):
    for pattern in PATTERNS:
        for everywhere in (True, False):
            yield draft(strings("abcabc", "a", "", "123 45"), strings(pattern).reshape(()), strings("<\\0>").reshape(()), replace_global=everywhere)


@family("AsString")
def as_string(m):
    for shape in ((4,), (2, 3), (), (0,)):
        yield draft(m.values(*shape))
    yield draft(m.special())
    if m.is_float():
        for attrs in ({"precision": 3}, {"scientific": True}, {"shortest": True}, {"width": 10}, {"width": 10, "fill": "0"}, {"precision": 2, "scientific": True}):
            yield draft(m.values(4), **attrs)
    elif m.is_number():
        yield draft(m.values(4), width=6)
        yield draft(m.values(4), width=6, fill="0")


@family("ReduceJoin")
def reduce_join(m):
    for axes in ((0,), (1,), (0, 1), (-1,), ()):
        for keep in (False, True):
            yield draft(m.values(2, 3, of="string"), m.array(axes, "int32"), keep_dims=keep, separator=",")


@family("DecodeRaw")
def decode_raw(m):
    size = m.dtype("out_type").itemsize
    for little in (True, False):
        yield draft(strings(bytes(range(1, 1 + 2 * size)), bytes(2 * size)), little_endian=little)
        yield draft(strings(bytes(range(size))).reshape(()), little_endian=little)
        yield draft(strings(), little_endian=little)
    if size > 1:
        yield malformed(strings(b"x" * (size + 1)))
    yield malformed(strings(b"x" * size, b"x" * 2 * size))


@family("DecodeCSV")
def decode_csv(m):
    def default(value, dtype):
        return np.array([value] if value is not None else [], object if dtype == "string" else dtype)

    lines = strings("1,2.5,x", "3,4,\"a \"\"q\"\", b\"", ",,")
    defaults = [default(7, "int32"), default(0.5, "float32"), default(b"none", "string")]
    yield draft(lines, defaults)
    yield draft(lines[:1].reshape(()), defaults)
    yield draft(lines[:0], defaults)
    yield draft(strings("1;2;3"), [default(7, "int64"), default(0.5, "float64"), default(b"", "string")], field_delim=";")
    yield draft(strings("NA,2", "1,NA"), [default(7, "int32"), default(9, "int64")], na_value="NA")
    yield draft(strings("1,2,3", "4,5,6"), [default(7, "int32"), default(9, "int64")], select_cols=[0, 2])
    yield draft(strings('a"b,c'), [default(b"", "string"), default(b"", "string")], use_quote_delim=False)
    for line in ("1,2", "x,1,y", "1,2,3,4", '"a"b,1,2'):
        yield malformed(strings(line), defaults)
    yield malformed(strings(",1,2"), [default(None, "int32"), default(0.5, "float32"), default(b"", "string")])


@family("ShardedFilename")
def sharded(m):
    for shard, count in ((0, 1), (3, 10), (12345, 99999)):
        yield draft(strings("model").reshape(()), m.array(shard, "int32"), m.array(count, "int32"))


@family("ShardedFilespec")
def filespec(m):
    yield draft(strings("model").reshape(()), m.array(10, "int32"))


@family("ScalarSummary")
def scalar_summary(m):
    yield draft(strings("loss").reshape(()), m.values())
    yield draft(strings("a", "b"), m.values(2))
    yield draft(strings(), m.values(0))
    yield malformed(strings("a", "b"), m.values(3))


@family("HistogramSummary")
def histogram_summary(m):
    for shape in ((5,), (2, 3), (), (0,)):
        yield draft(strings("h").reshape(()), m.values(*shape))
    if m.is_float():
        yield malformed(strings("h").reshape(()), m.array([1, np.nan]))


@family("TensorSummaryV2")
def tensor_summary(m):
    for shape in ((5,), (2, 3), (), (0,)):
        yield draft(strings("t").reshape(()), m.values(*shape), strings("").reshape(()))


@family("ExtractJpegShape")
def jpeg_shape(m):
    for shape in ((9, 10, 1), (8, 8, 3), (21, 30, 3)):
        yield draft(strings(encoded("jpeg", shape)).reshape(()))
    for bad in (b"", b"nonsense", encoded("png", (8, 8, 3)), encoded("jpeg", (8, 8, 3))[:100]):
        yield malformed(strings(bad).reshape(()))


@family("ImageSummary")
def image_summary(m):
    for shape in ((2, 4, 3, 1), (1, 3, 3, 3), (1, 2, 2, 4)):
        yield draft(strings("i").reshape(()), m.values(*shape, low=0, high=200))
    for count, most in ((5, 3), (5, 1), (2, 9)):
        yield draft(strings("many").reshape(()), m.values(count, 2, 2, 1, low=0, high=200), max_images=most)
    if m.is_float():
        for limits in ((-2, 2), (0, 1), (3, 4), (-5, -4)):
            yield draft(strings("i").reshape(()), m.values(1, 3, 4, 3, low=limits[0], high=limits[1]))
        odd = m.values(1, 2, 2, 3)
        odd[0, 0, 1, 2] = np.nan
        yield draft(strings("odd").reshape(()), odd)
        odd = m.values(1, 2, 2, 1)
        odd[0, 1, 1, 0] = np.inf
        yield draft(strings("odd").reshape(()), odd)
        yield draft(strings("flat").reshape(()), m.array(np.zeros((1, 2, 2, 3))))
    yield malformed(strings("i").reshape(()), m.values(1, 3, 3, 2))
    yield malformed(strings("i").reshape(()), m.values(1, 3, 3, 5))
    yield malformed(strings("i").reshape(()), m.values(1, 0, 3, 3))
    yield malformed(strings("i"), m.values(1, 3, 3, 1))


@family("AudioSummaryV2")
def audio_summary(m):
    yield draft(strings("a").reshape(()), m.values(2, 30, of="float32", low=-1, high=1), m.array(8000, "float32"))
    yield draft(strings("a").reshape(()), m.values(2, 30, 2, of="float32", low=-1, high=1), m.array(8000, "float32"))
    for count, most in ((5, 3), (5, 1), (2, 9)):
        yield draft(strings("many").reshape(()), m.values(count, 4, of="float32", low=-1, high=1), m.array(44100, "float32"), max_outputs=most)
    loud = m.array((((1.0, -1.0, 1.5, -1.5, 0.99999, 1e30, -1e30, 0.5, -0.5, 1 / 32767, 0.4 / 32767, np.inf, -np.inf),)), "float32")
    yield draft(strings("loud").reshape(()), loud.reshape(1, -1), m.array(11025, "float32"))
    yield draft(strings("short").reshape(()), m.values(1, 1, 1, of="float32"), m.array(1, "float32"))
    yield draft(strings("").reshape(()), m.values(1, 3, 5, of="float32"), m.array(22050.7, "float32"))
    for shape in ((2, 0), (2, 3, 0)):
        yield malformed(strings("a").reshape(()), m.values(*shape, of="float32"), m.array(8000, "float32"))
    for rate in (0.3, 1.5, 2.5, 4294967040.0):
        yield draft(strings("rate").reshape(()), m.values(1, 3, of="float32"), m.array(rate, "float32"))
    yield malformed(strings("a").reshape(()), m.array(np.zeros((1, 1, 70000)), "float32"), m.array(8000, "float32"))
    for rate in (0, -5, 2**32, 1e30, np.inf, np.nan):
        yield malformed(strings("a").reshape(()), m.values(2, 3, of="float32"), m.array(rate, "float32"))


@family("MergeSummary")
def merge_summary(m):
    summary = b"\n\x0b\n\x04loss\x15\x00\x00\x80?"
    other = summary.replace(b"loss", b"rate")
    yield draft([strings(summary).reshape(()), strings(other)])
    yield draft([strings()])
    yield draft([strings(summary).reshape(())])
    yield draft([strings(), strings(), strings(other, b"")])
    yield draft([strings(summary, other).reshape(1, 2), strings()])
    yield draft([strings(b"").reshape(())])
    unknown = b"\n\x0d\n\x04seen\x15\x00\x00\x80?x\x01"  # with a field that nobody knows
    yield draft([strings(unknown).reshape(()), strings(summary)])
    for first, second in ((summary, summary), (summary, other + summary), (other + other, b"")):
        yield malformed([strings(first), strings(second)])
    for bad in ("not a summary", summary[:-1], b"\n\x50\n", b"\xff"):
        yield malformed([strings(bad)])
        yield malformed([strings(summary), strings(bad).reshape(())])


@family("Assert")
def assertion(m):
    yield draft(m.array(True, "bool"), [m.values(2, of="float32")])
    yield malformed(m.array(False, "bool"), [m.values(2, of="float32"), strings("why").reshape(())])
    yield malformed(m.array(False, "bool"), [m.values(2, 3, of="float32")], summarize=2)
    for summarize in (-1, 0, 1, 3, 100):
        yield malformed(m.array(False, "bool"), [m.values(2, 2, 2, of="int32"), m.special("int64")], summarize=summarize)
    for dtype in ("float64", "string", "bool", "uint8", "complex64", "float16"):
        yield malformed(m.array(False, "bool"), [m.special(dtype), m.values(0, 2, of=dtype), m.values(of=dtype)], summarize=6)
    yield draft(m.array(True, "bool"), [m.values(0, 3, of="float32"), m.values(2, of="string")])
    yield malformed(m.array([True], "bool"), [m.values(2, of="float32")])
    yield malformed(m.array([False, True], "bool"), [m.values(2, of="float32")])


@family("Print")
def printed(m):
    for shape in ((2, 3), (), (0,)):
        yield draft(m.values(*shape), [m.values(2, of="float32")], first_n=0)


@family("EncodePng")
def encode_png(m):
    for shape in ((3, 4, 1), (2, 2, 3), (2, 2, 4), (2, 2, 2)):
        yield draft(m.values(*shape, low=0, high=200))
    for compression in (-1, 0, 1, 9):
        yield draft(m.values(5, 6, 3, low=0, high=255), compression=compression)
    yield draft(m.values(2, 3, 4, 2, 3, low=0, high=255))
    yield draft(m.values(0, 2, 2, 3))
    for shape in ((2, 2, 5), (2, 2, 0), (0, 2, 3), (2, 0, 3), (2, 2), (3,)):
        yield malformed(m.values(*shape))
    for compression in (-2, 10):
        yield malformed(m.values(2, 2, 3), compression=compression)


@family("EncodeJpeg")
def encode_jpeg(m):
    for shape in ((8, 8, 3), (5, 7, 1)):
        yield draft(m.values(*shape, of="uint8", low=0, high=200))
        for attrs in ({"quality": 0}, {"quality": 100}, {"progressive": True}, {"optimize_size": True}, {"density_unit": "cm", "x_density": 7, "y_density": 70000},
                      {"xmp_metadata": "meta \u00e9"}):
            yield draft(m.values(*shape, of="uint8", low=0, high=255), **attrs)
    yield draft(m.values(17, 9, 3, of="uint8", low=0, high=255), chroma_downsampling=False)
    yield draft(m.values(3, 4, 3, of="uint8", low=0, high=255), format="rgb")
    for shape in ((2, 2, 5), (2, 2, 2), (2, 2), (0, 2, 3), (2, 0, 1)):
        yield malformed(m.values(*shape, of="uint8"))
    for attrs in ({"quality": 101}, {"quality": -1}, {"format": "grayscale"}):
        yield malformed(m.values(2, 2, 3, of="uint8"), **attrs)
    yield malformed(m.values(2, 2, 1, of="uint8"), format="rgb")


def encoded(kind, shape, dtype="uint8"):
    from tensorflow_client import tf

    rng = np.random.RandomState(3)
    image = rng.randint(0, 255, shape).astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.image.encode_png(image) if kind == "png" else tf.image.encode_jpeg(image, quality=90))


@family("DecodePng")
def decode_png(m):
    for shape in ((3, 4, 1), (2, 2, 3), (2, 2, 4)):
        for channels in (0, 1, 3, 4):
            yield draft(strings(encoded("png", shape)).reshape(()), channels=channels)
    yield draft(strings(encoded("png", (2, 3, 3), "uint16")).reshape(()))
    for bad in (b"", b"nonsense", encoded("png", (2, 2, 3))[:40]):
        yield malformed(strings(bad).reshape(()))


@family("DecodeJpeg")
def decode_jpeg(m):
    for shape in ((9, 10, 1), (8, 8, 3)):
        for attrs in ({}, {"channels": 1}, {"channels": 3}, {"ratio": 2}, {"fancy_upscaling": False}, {"dct_method": "INTEGER_ACCURATE"}):
            yield draft(strings(encoded("jpeg", shape)).reshape(()), **attrs)
    for name in ("one frame", "a part changes"):
        yield draft(strings(small_images.gifs()[name]).reshape(()))
    for bad in (b"", b"nonsense", encoded("jpeg", (8, 8, 3))[:100]):
        yield malformed(strings(bad).reshape(()))


@family("DecodeAndCropJpeg")
def decode_part_of_jpeg(m):
    file = strings(encoded("jpeg", (21, 30, 3))).reshape(())
    for window in ((0, 0, 21, 30), (3, 5, 7, 9), (8, 16, 13, 3), (20, 29, 1, 1)):
        for attrs in ({}, {"channels": 1}, {"fancy_upscaling": False}):
            yield draft(file, m.array(window, "int32"), **attrs)
    yield draft(file, m.array((1, 2, 5, 9), "int32"), ratio=2)
    for window in ((0, 0, 0, 0), (0, 0, 22, 3), (-1, 0, 3, 3), (0, 30, 1, 1)):
        yield malformed(file, m.array(window, "int32"))
    for other in (encoded("png", (5, 5, 3)), small_images.gifs()["one frame"], b"BM", b""):
        yield malformed(strings(other).reshape(()), m.array((0, 0, 1, 1), "int32"))


@family("DecodeGif")
def decode_gif(m):
    for file in small_images.gifs().values():
        yield draft(strings(file).reshape(()))
    for other in (encoded("png", (3, 2, 3)), encoded("jpeg", (3, 2, 1))):
        yield draft(strings(other).reshape(()))
    for bad in (b"", b"nonsense", b"BM"):
        yield malformed(strings(bad).reshape(()))


@family("DecodeBmp")
def decode_bmp(m):
    files = small_images.bmps()
    for name in ("rgb", "grey", "rgba", "rgb downwards", "grey downwards", "rgba downwards"):
        for channels in (0, 3, 4):
            yield draft(strings(files[name]).reshape(()), channels=channels)
    for file in files.values():
        yield draft(strings(file).reshape(()))
    yield malformed(strings(files["rgb"]).reshape(()), channels=1)
    for bad in (b"", b"nonsense", encoded("png", (3, 2, 3)), small_images.gifs()["one frame"]):
        yield malformed(strings(bad).reshape(()))


@family("DecodeImage")
def decode_image(m):
    for kind in ("png", "jpeg"):
        for channels in (0, 1, 3):
            yield draft(strings(encoded(kind, (9, 10, 3))).reshape(()), channels=channels)
    for name in ("a part changes", "transparent", "no colors of the second"):
        for animated in (True, False):
            yield draft(strings(small_images.gifs()[name]).reshape(()), expand_animations=animated)
    for name in ("rgb", "grey", "rgba"):
        for channels in (0, 3, 4):
            yield draft(strings(small_images.bmps()[name]).reshape(()), channels=channels)
    for bad in (b"", b"nonsense", small_images.gifs()["pixels are missing"], small_images.bmps()["31 bytes"], encoded("png", (9, 10, 3))[:70]):
        yield malformed(strings(bad).reshape(()))


@family("SerializeTensor")
def serialized(m):
    for shape in ((2, 3), (), (0, 2)):
        yield draft(m.values(*shape))


@family("ParseTensor")
def parsed(m):
    dtype = m.dtype("out_type")
    for shape in ((2, 3), (), (0, 2)):
        yield draft(message(m.values(*shape, of="out_type")), out_type=dtype)
    yield malformed(message(np.array([True])), out_type=dtype)
    yield malformed(strings("no message").reshape(()), out_type=dtype)
    yield malformed(strings("a", "b"), out_type=dtype)


def message(array):
    """A tensor's bytes as an array of one string."""
    from tensorflow_client import tf

    return np.array(tf.make_tensor_proto(array).SerializeToString(), object)


@family("EncodeJpegVariableQuality")
def jpegs_of_quality(m):
    for shape in ((9, 7, 3), (16, 16, 1), (1, 1, 3)):
        for quality in (0, 50, 100):
            yield draft(m.rng.randint(0, 256, shape).astype(np.uint8), m.array(quality, "int32"))
    picture = np.zeros((4, 4, 3), np.uint8)
    for image, quality in ((picture, 101), (picture, -1), (picture, (5,)), (picture[0], 5), (picture[:, :, :2], 5)):
        yield malformed(image, m.array(quality, "int32"))


@family("UnsortedSegmentJoin")
def segment_join(m):
    for separator in ("", "-", "été"):
        for shape, ids, count in (((3,), (0, 2, 0), 3), ((3, 2), (0, 2, 0), 4), ((2, 2), ((0, 1), (1, 0)), 2), ((0,), (), 2), ((0, 3), (), 0)):
            yield draft(m.values(*shape, of="string"), m.array(np.array(ids).reshape(-1) if not ids else ids, "Tindices"),
                        m.array(count, "Tnumsegments"), separator=separator)
    for ids, count in (((0, 3, 0), 3), ((0, -1, 0), 3), ((0, 2, 0), -1), ((0, 2), 3), (0, 3), ((0, 2, 0), (3,)), (((0, 2, 0),), 3)):
        yield malformed(m.values(3, of="string"), m.array(ids, "Tindices"), m.array(count, "Tnumsegments"))


@family("StringNGrams", is_fragile=True)
def n_grams(m):
    words = np.array([b"a", b"bc", b"d", b"", b"e"], object)

    def attrs(widths, left="", right="", padding=0, short=False, separator="|"):
        return {"separator": separator, "ngram_widths": list(widths), "left_pad": left, "right_pad": right, "pad_width": padding,
                "preserve_short_sequences": short}

    splits = m.array((0, 3, 3, 5), "Tsplits")
    for widths in ((2,), (1,), (2, 3), (1, 4), (6,), ()):
        for padding in (0, 1, -1, 9):
            yield draft(words, splits, **attrs(widths, "L", "RR", padding))
        yield draft(words, splits, **attrs(widths, "L", "", 0, short=True))
        yield draft(words, splits, **attrs(widths, "L", "R", 1, short=True, separator=""))
    none = np.array([], object)
    for ends in ((), (0,), (0, 0), (0, 0, 0)):
        yield draft(none, m.array(ends, "Tsplits"), **attrs((2,), "L", "R", 1))
    for ends in ((1, 3, 5), (0, 3), (0, 3, 9), (0, 4, 2, 5), (0,), (0, -3, 5)):
        yield malformed(words, m.array(ends, "Tsplits"), **attrs((2,)))
    for widths in ((0,), (2, -1)):
        yield malformed(words, splits, **attrs(widths))
    yield malformed(words, splits, **attrs((9,), padding=-5, short=True))


def wav(channels=2, rate=8000, bits=16, kind=1, size=16, extra=b"", data=bytes(range(16)), length=None, frame=None, second=None):
    """A sound file, whole or not."""
    frame = channels * bits // 8 if frame is None else frame
    head = struct.pack("<IHHIIHH", size, kind, channels, rate, rate * frame if second is None else second, frame, bits)
    body = b"WAVEfmt " + head + extra + b"data" + struct.pack("<I", len(data) if length is None else length) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


@family("DecodeWav")
def decoded_sound(m):
    def text(file):
        return np.array(file, object)

    for channels in (-1, 0, 1, 2, 3):
        for samples in (-1, 0, 2, 6):
            yield draft(text(wav()), desired_channels=channels, desired_samples=samples)
    yield draft(text(wav(channels=1)), desired_channels=3)
    yield draft(text(wav(data=b"")))
    chunk = struct.pack("<4sI", b"LIST", 3) + b"abc"
    for file in (wav(size=18, extra=b"ab"), wav(extra=chunk), wav(length=4), wav(length=5), wav(rate=0), wav() + chunk):
        yield draft(text(file))
    for file in (wav(bits=8), wav(kind=3), wav(size=12), wav(size=40), wav(channels=0), wav(second=5), wav(frame=3), wav(length=100), wav()[:-3],
                 wav(length=2**32 - 1), wav()[:36], wav()[:40], b"", b"RIFF", b"RIFX" + wav()[4:], wav() + b"xyz", wav(extra=chunk + b"a"),
                 wav() + wav()[36:], wav(rate=2**32 - 1, second=0), wav(channels=65535, frame=65534)):
        yield malformed(text(file))


@family("EncodeWav")
def encoded_sound(m):
    for shape in ((5, 1), (4, 2), (0, 1), (2, 9)):
        for rate in (8000, 1, 44100):
            yield draft(m.values(*shape, of="float32"), m.array(rate, "int32"))
    yield draft(m.array([[np.nan], [np.inf], [-np.inf], [5.0], [-1.0], [1.0], [0.99999]], "float32"), m.array(8000, "int32"))
    for rate in (0, -5):
        yield malformed(m.values(4, 2, of="float32"), m.array(rate, "int32"))
    for channels in (0, 70_000):
        yield malformed(m.values(3, channels, of="float32"), m.array(8000, "int32"))
