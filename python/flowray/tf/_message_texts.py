"""Messages from protobuf's text form, as tf.io.write_graph writes graphs."""

import re as _re

from flowray import _native
from flowray.tf import _messages

_TOKEN = _re.compile(r"""\s*(?:\#[^\n]*\n\s*)*(?P<token>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[{}<>\[\]:,;]|[^\s{}<>\[\]:,;"'#]+|$)""")
_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "a": b"\a", "b": b"\b", "f": b"\f", "v": b"\v"}


def _tokens(text):
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _messages.DecodeError("Line %d : no text of a message: %r" % (text.count("\n", 0, position) + 1, text[position:position + 20]))
        position = match.end()
        if match["token"]:
            yield match["token"]
    yield ""


def _unescaped(token):
    """The bytes of what stands in quotes."""
    parts = _re.split(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", token[1:-1])
    made = [parts[0].encode()]
    for escape, plain in zip(parts[1::2], parts[2::2]):
        if escape[0] in "01234567":
            made.append(bytes([int(escape, 8) & 255]))
        elif escape[0] == "x":
            made.append(bytes([int(escape[1:], 16)]))
        else:
            made.append(_ESCAPES.get(escape, escape.encode()))
        made.append(plain.encode())
    return b"".join(made)


def _number_of_type(token):
    """DT_FLOAT and its like."""
    is_reference = token.endswith("_REF")
    name = {"FLOAT": "float32", "DOUBLE": "float64", "HALF": "float16"}.get(token.removesuffix("_REF")[3:], token.removesuffix("_REF")[3:].lower())
    return _native.as_dtype(name).as_datatype_enum + (100 if is_reference else 0)


class _Reader:
    def __init__(self, text):
        self._all = _tokens(text)
        self._next = next(self._all)

    def _take(self):
        token, self._next = self._next, next(self._all, "")
        return token

    def _value(self, field):
        token = self._take()
        if field.kind in ("bytes", "string"):
            raw = _unescaped(token)
            while self._next[:1] in ("\"", "'"):  # the next line goes on
                raw += _unescaped(self._take())
            return raw if field.kind == "bytes" else raw.decode()
        if field.kind in ("float", "double"):
            return float(token.rstrip("fF") if token.lower().lstrip("-") not in ("inf", "infinity") else token)
        if field.kind == "bool":
            return token in ("true", "True", "t", "1")
        return _number_of_type(token) if token.startswith("DT_") else int(token, 0)

    def _add(self, message, field):
        if self._next == ":":
            self._take()
        if self._next == "[":
            self._take()
            while self._next != "]":
                self._add(message, field)
                if self._next == ",":
                    self._take()
            self._take()
        elif field.is_map:
            entry = _messages.message("Entry", ("key", 1, "string"), ("value", 2, field.kind))()
            self._inside(entry)
            getattr(message, field.name)[entry.key] = entry.value
        elif field.is_message:
            inner = field.kind()
            self._inside(inner)
            if field.repeated:
                getattr(message, field.name).append(inner)
            else:
                setattr(message, field.name, inner)
        elif field.repeated:
            getattr(message, field.name).append(self._value(field))
        else:
            setattr(message, field.name, self._value(field))

    def _inside(self, message):
        close = {"{": "}", "<": ">"}.get(self._take())
        self.read(message, close)
        self._take()

    def read(self, message, close=""):
        fields = {field.name: field for field in type(message)._fields}
        while self._next != close:
            name = self._take()
            if name not in fields:
                raise _messages.DecodeError("Message type \"%s\" has no field named \"%s\" here." % (type(message).__name__, name))
            self._add(message, fields[name])
            if self._next in (",", ";"):
                self._take()


def merge(text, message):
    """Adds what stands in the text to the message."""
    _Reader(text).read(message)
    return message
