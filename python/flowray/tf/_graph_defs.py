"""tf.GraphDef with nodes that programs change: what they do to gd.node and gd.versions is in the graph that is imported or written later."""

from flowray import _native
from flowray.tf import _messages

_NODES, _LIBRARY, _VERSIONS = 1, 2, 4  # numbers of the fields
VersionDef = _messages.message("VersionDef", ("producer", 1, "int32"), ("min_consumer", 2, "int32"), ("bad_consumers", 3, "int32", True))
_FunctionDef = _messages.message("FunctionDef", ("signature", 1, _messages.OpDef), ("node_def", 3, _messages.NodeDef, True))
FunctionDefLibrary = _messages.message("FunctionDefLibrary", ("function", 1, _FunctionDef, True))
_Versions = _messages.message("GraphDef", ("versions", _VERSIONS, VersionDef))
_Library = _messages.message("GraphDef", ("library", _LIBRARY, FunctionDefLibrary))


def _fields(encoded):
    """(number, content, all of it) of each field of a message, as it stands in it."""
    data, position = memoryview(encoded), 0
    while position < len(data):
        begin = position
        tag, position = _messages._read_varint(data, position)
        raw, position = _messages._value_at(data, position, tag & 7)
        yield tag >> 3, raw, bytes(data[begin:position])


def _read_nodes(encoded):
    return _native._read_graph_def(encoded, _messages.GraphDef)


def _encoded_node(node):
    for name, value in node.attr.items():
        if value.WhichOneof("value") is None:
            raise NotImplementedError("The node %s cannot be changed: its attribute %s is not one of those that messages have here (a function)\n"
                                      "Leave it as it is, or build the graph anew by the language's functions." % (node.name, name))
    raw = node.SerializeToString()
    return b"\n" + _messages._varint(len(raw)) + raw


def _encoded_nodes(nodes, encoded):
    """Their encoding; those that are as they were in `encoded` keep theirs."""
    known = {node.SerializeToString(): field for node, field in zip(
        _read_nodes(encoded).node, (field for number, _, field in _fields(encoded) if number == _NODES))}
    return b"".join(known.get(node.SerializeToString()) or _encoded_node(node) for node in nodes)


class GraphDef(_native.GraphDef):
    """A graph as a message. Functions in `library` are there to be looked at."""

    def __init__(self, versions=None, node=None):
        super().__init__()
        if versions is not None:
            self.versions.CopyFrom(versions)
        if node is not None:
            self.node.extend(node)

    @staticmethod
    def of(native):
        """What the language gives, as one of these."""
        made = GraphDef()
        _native.GraphDef.ParseFromString(made, native.SerializeToString())
        return made

    def _encoded(self):
        return _native.GraphDef.SerializeToString(self)

    @property
    def node(self):
        if "_nodes" not in self.__dict__:
            self._nodes = _read_nodes(self._encoded())
        return self._nodes.node

    @property
    def versions(self):
        if "_versions" not in self.__dict__:
            self._versions = _Versions.FromString(self._encoded())
        return self._versions.versions

    @property
    def library(self):
        return _Library.FromString(self._encoded()).library

    def written(self):
        """This message, with what the program has changed in it."""
        before = self._encoded()
        if "_nodes" not in self.__dict__ and "_versions" not in self.__dict__:
            return self
        nodes = _encoded_nodes(self._nodes.node, before) if "_nodes" in self.__dict__ else None
        versions = self._versions.SerializeToString() if "_versions" in self.__dict__ else None
        kept = b"".join(field for number, _, field in _fields(before)
                        if not (number == _NODES and nodes is not None) and not (number == _VERSIONS and versions is not None))
        now = (nodes or b"") + kept + (versions or b"")
        if now != before:
            _native.GraphDef.ParseFromString(self, now)
        return self

    def SerializeToString(self, deterministic=None):
        return _native.GraphDef.SerializeToString(self.written())

    def ParseFromString(self, data):
        self.__dict__.clear()
        return _native.GraphDef.ParseFromString(self, bytes(data))

    @classmethod
    def FromString(cls, data):
        made = cls()
        made.ParseFromString(data)
        return made

    def MergeFrom(self, other):
        self.ParseFromString(self.SerializeToString() + other.SerializeToString())

    def CopyFrom(self, other):
        self.ParseFromString(other.SerializeToString())

    def Clear(self):
        self.ParseFromString(b"")

    def HasField(self, name):
        if name not in ("versions", "library"):
            raise ValueError("Protocol message GraphDef has no singular \"%s\" field." % name)
        kind = {"versions": _Versions, "library": _Library}[name]
        return kind.FromString(self.SerializeToString()).HasField(name)

    def ByteSize(self):
        return len(self.SerializeToString())

    def __str__(self):
        return _native.GraphDef.__str__(self.written())

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, _native.GraphDef) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None


next(field for field in _messages.MetaGraphDef._fields if field.name == "graph_def").kind = GraphDef


def written(graph_def):
    """What the language takes for a GraphDef of the program's."""
    return graph_def.written() if isinstance(graph_def, GraphDef) else graph_def


_as_graph_def = _native.Graph.as_graph_def


def _graph_as_graph_def(self, from_version=None, add_shapes=False):
    return GraphDef.of(_as_graph_def(self, from_version, add_shapes))


_native.Graph.as_graph_def = _graph_as_graph_def
_native.Graph.graph_def_versions = property(lambda self: self.as_graph_def().versions, doc="The versions of GraphDef that the graph is of.")
