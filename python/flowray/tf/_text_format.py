"""What `from google.protobuf import text_format` finds where protobuf is not installed: messages of flowray.tf from texts, and as texts."""

from flowray import _native
from flowray.tf import _graph_defs, _message_texts, _messages


class ParseError(Exception):
    """The text is no such message."""


def graph_of_text(text):
    """The bytes of the GraphDef that a text describes."""
    kind = _messages.message("tensorflow.GraphDef", ("node", 1, _messages.NodeDef, True), ("library", 2, _graph_defs.FunctionDefLibrary),
                             ("versions", 4, _graph_defs.VersionDef))
    return _message_texts.merge(text, kind()).SerializeToString()


def Merge(text, message, allow_unknown_extension=False, allow_field_number=False, descriptor_pool=None, allow_unknown_field=False):  # noqa: N802
    """Adds what a text, or its bytes, describes to the message; gives the message."""
    for word, given in (("allow_unknown_extension", allow_unknown_extension), ("allow_field_number", allow_field_number),
                        ("descriptor_pool", descriptor_pool), ("allow_unknown_field", allow_unknown_field)):
        _native._refuse(given or None, "text_format.Merge", word)
    text = text.decode() if isinstance(text, bytes) else text
    try:
        if isinstance(message, _native.GraphDef):
            message.ParseFromString(message.SerializeToString() + graph_of_text(text))
        elif isinstance(message, _messages.Message):
            _message_texts.merge(text, message)
        else:
            raise TypeError("text_format reads tf.GraphDef, tf.train.Example, tf.Summary and their kin, but got %s" % type(message).__name__)
    except (ValueError, StopIteration) as error:
        raise ParseError(str(error) or "The text ends within a message") from None
    return message


def Parse(text, message, **options):  # noqa: N802
    """Merge into a message that is empty."""
    return Merge(text, message, **options)


def MessageToString(message, as_utf8=False, as_one_line=False):  # noqa: N802
    """The message as text; texts beyond ASCII stand as they are with `as_utf8` and without."""
    lines = str(message)
    return " ".join(line.strip() for line in lines.splitlines()) if as_one_line else lines


def PrintMessage(message, out, as_utf8=False, as_one_line=False):  # noqa: N802
    """Writes MessageToString to a file."""
    out.write(MessageToString(message, as_utf8, as_one_line))
