"""TensorFlow's protocol messages that programs handle themselves: tf.train.Example, tf.Summary, tf.Event. A message is a table
of its fields; fields that a table lacks are passed over when a message is read."""

import struct as _struct

from flowray import _native

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIRE_TYPES = {"int64": _VARINT, "int32": _VARINT, "bool": _VARINT, "enum": _VARINT, "float": _FIXED32, "double": _FIXED64}
_ITEMS = {"float": "f", "double": "d"}  # those that struct reads and writes many of at once
_DEFAULTS = {"int64": 0, "int32": 0, "bool": False, "enum": 0, "float": 0.0, "double": 0.0, "bytes": b"", "string": ""}


class DecodeError(ValueError):
    """The bytes are not such a message."""


def _varint(number):
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _read_varint(data, position):
    number = shift = 0
    while True:
        if position >= len(data) or shift > 63:
            raise DecodeError("Error parsing message")
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7


class _Field:
    def __init__(self, name, number, kind, repeated=False, oneof=None, is_map=False):
        self.name, self.number, self.kind, self.repeated, self.oneof = name, number, kind, repeated, oneof
        self.is_map = is_map  # "int32" where its keys are numbers, which are texts else
        self.is_message = isinstance(kind, type)
        self.wire_type = _BYTES if self.is_message else _WIRE_TYPES.get(kind, _BYTES)
        self.item = _ITEMS.get(kind)

    def encoded(self, value):
        if self.is_message or self.kind in ("bytes", "string"):
            data = value.SerializeToString() if self.is_message else value.encode() if isinstance(value, str) else bytes(value)
            return _varint(len(data)) + data
        if self.item:
            return _struct.pack("<" + self.item, value)
        return _varint(int(value))

    def decoded(self, raw):
        if self.is_message:
            return self.kind.FromString(raw if issubclass(self.kind, Message) else bytes(raw))
        if self.kind == "string":
            return bytes(raw).decode()
        if self.kind == "bytes":
            return bytes(raw)
        if self.item:
            return _struct.unpack("<" + self.item, raw)[0]
        if self.kind == "bool":
            return bool(raw)
        return raw - (1 << 64) if raw >> 63 else raw

    def checked(self, value):
        """What protobuf takes for the kind."""
        if self.kind in ("int64", "int32", "enum") and (isinstance(value, float) or not hasattr(value, "__index__")):
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: (int,)")
        if self.kind == "bytes" and not isinstance(value, (bytes, bytearray)):
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: (bytes,)")
        if self.kind in ("float", "double"):
            return float(value)
        return value.__index__() if self.kind in ("int64", "int32", "enum") else value


class _Values(list):
    """A repeated field."""

    def __init__(self, field, values=()):
        super().__init__()
        self._field = field
        self.extend(values)

    def append(self, value):
        super().append(value if self._field.is_message else self._field.checked(value))

    def extend(self, values):
        for value in values:
            self.append(value)

    def add(self, **fields):
        self.append(self._field.kind(**fields))
        return self[-1]


class _Map(dict):
    """A map to messages or texts: a key that is asked for is there."""

    def __init__(self, kind):
        super().__init__()
        self._kind = kind

    def __missing__(self, key):
        self[key] = self._kind() if isinstance(self._kind, type) else ""
        return self[key]


class Message:
    """A message with the fields of its class's table."""

    _fields = ()

    def __init__(self, **values):
        for name, value in values.items():
            field = self._field(name)
            if value is None:
                continue
            if field.is_map:
                getattr(self, name).update(value)
            elif field.repeated:
                getattr(self, name).extend(value)
            else:
                setattr(self, name, value)

    @classmethod
    def _field(cls, name):
        for field in cls._fields:
            if field.name == name:
                return field
        raise ValueError(f"Protocol message {cls.__name__} has no \"{name}\" field.")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        for field in type(self)._fields:
            if field.name == name:
                break
        else:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if not (field.is_map or field.repeated or field.is_message):
            return _DEFAULTS[field.kind]
        value = _Map(field.kind) if field.is_map else _Values(field) if field.repeated else field.kind()
        self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        field = type(self)._field(name)
        if field.oneof:
            for other in type(self)._fields:
                if other.oneof == field.oneof:
                    self.__dict__.pop(other.name, None)
        self.__dict__[name] = value if field.is_message else field.checked(value)

    def _is_set(self, field):
        if field.name not in self.__dict__:
            return False
        value = self.__dict__[field.name]
        if field.is_map or field.repeated:
            return bool(value)
        if field.is_message:
            return bool(field.oneof) or bool(value.__dict__ if isinstance(value, Message) else value.SerializeToString())
        return bool(field.oneof) or value != _DEFAULTS[field.kind]

    def HasField(self, name):
        return self._is_set(type(self)._field(name))

    def WhichOneof(self, oneof):
        for field in type(self)._fields:
            if field.oneof == oneof and self._is_set(field):
                return field.name
        return None

    def ListFields(self):
        return [(field, self.__dict__[field.name]) for field in type(self)._fields if self._is_set(field)]

    def ClearField(self, name):
        self.__dict__.pop(name, None)

    def Clear(self):
        self.__dict__.clear()

    def CopyFrom(self, other):
        self.ParseFromString(other.SerializeToString())

    def MergeFrom(self, other):
        self._read(other.SerializeToString())

    def ByteSize(self):
        return len(self.SerializeToString())

    def __eq__(self, other):
        return type(self) is type(other) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None

    def SerializeToString(self, deterministic=None):
        parts = []
        for field in sorted((field for field in type(self)._fields if self._is_set(field)), key=lambda field: field.number):
            value, tag = self.__dict__[field.name], _varint(field.number << 3 | field.wire_type)
            if field.is_map:
                for key in sorted(value):
                    key_bytes = b"\x08" + _varint(int(key)) if field.is_map == "int32" else b"\n" + _varint(len(key.encode())) + key.encode()
                    entry = key_bytes + b"\x12" + field.encoded(value[key])
                    parts += [tag, _varint(len(entry)), entry]
            elif field.repeated and field.wire_type != _BYTES:
                packed = _struct.pack(f"<{len(value)}{field.item}", *value) if field.item else b"".join(map(field.encoded, value))
                parts += [_varint(field.number << 3 | _BYTES), _varint(len(packed)), packed]
            else:
                for item in value if field.repeated else [value]:
                    parts += [tag, field.encoded(item)]
        return b"".join(parts)

    @classmethod
    def FromString(cls, data):
        message = cls()
        message._read(data)
        return message

    def ParseFromString(self, data):
        self.__dict__.clear()
        self._read(data)
        return len(data)

    def MergeFromString(self, data):
        self._read(data)
        return len(data)

    def _read(self, data):
        data, position = memoryview(bytes(data)), 0
        fields = {field.number: field for field in type(self)._fields}
        while position < len(data):
            tag, position = _read_varint(data, position)
            raw, position = _value_at(data, position, tag & 7)
            field = fields.get(tag >> 3)
            if field is not None:
                self._take(field, raw, tag & 7)

    def _take(self, field, raw, wire_type):
        if field.is_map:
            key, value = (0, "") if field.is_map == "int32" else ("", field.kind())
            position = 0
            while position < len(raw):
                tag, position = _read_varint(raw, position)
                part, position = _value_at(raw, position, tag & 7)
                if tag >> 3 == 1:
                    key = part if field.is_map == "int32" else bytes(part).decode()
                elif tag >> 3 == 2:
                    value = field.decoded(part)
            getattr(self, field.name)[key] = value
        elif field.repeated and wire_type == _BYTES and field.item:
            if len(raw) % _struct.calcsize(field.item):
                raise DecodeError("Error parsing message")
            list.extend(getattr(self, field.name), (value for value, in _struct.iter_unpack("<" + field.item, raw)))
        elif field.repeated and wire_type == _BYTES and field.wire_type != _BYTES:
            position = 0
            while position < len(raw):
                item, position = _value_at(raw, position, field.wire_type)
                list.append(getattr(self, field.name), field.decoded(item))
        elif field.repeated:
            list.append(getattr(self, field.name), field.decoded(raw))
        else:
            setattr(self, field.name, field.decoded(raw))

    def __repr__(self):
        return "".join(_lines(self, ""))

    __str__ = __repr__


def _value_at(data, position, wire_type):
    if wire_type == _VARINT:
        return _read_varint(data, position)
    if wire_type == _BYTES:
        size, position = _read_varint(data, position)
    elif wire_type in (_FIXED32, _FIXED64):
        size = 4 if wire_type == _FIXED32 else 8
    else:
        raise DecodeError("Error parsing message")
    if position + size > len(data):
        raise DecodeError("Error parsing message")
    return data[position:position + size], position + size


_ESCAPED = {ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r", ord('"'): '\\"', ord("'"): "\\'", ord("\\"): "\\\\"}


def _number(value, digits, more):
    """The number in few digits, or in as many as tell it from its neighbours, as protobuf writes it."""
    short = "%.*g" % (digits, value)
    if value != value or abs(value) > 3e38 and digits == 6:
        return short
    read_back = float(short) if digits == 15 else _struct.unpack("<f", _struct.pack("<f", float(short)))[0]
    return short if read_back == value else "%.*g" % (more, value)


def _shown(field, value):
    if field.kind in ("bytes", "string"):
        text = value.decode("latin-1") if field.kind == "bytes" else value
        beyond = field.kind == "bytes"  # of a text they stand as they are
        return '"%s"' % "".join(_ESCAPED.get(ord(c)) or (c if 32 <= ord(c) < 127 or ord(c) > 127 and not beyond else "\\%03o" % ord(c))
                                for c in text)
    if field.kind in ("float", "double"):
        if field.kind == "double":
            return _number(value, 15, 17)
        return _number(_struct.unpack("<f", _struct.pack("<f", value))[0] if abs(value) < 3e38 else value, 6, 9)
    return str(value).lower() if field.kind == "bool" else repr(value)


def _lines(message, indent):
    for field, value in message.ListFields():
        if field.is_map:
            for key in sorted(value):
                shown = key if field.is_map == "int32" else f'"{key}"'
                yield f"{indent}{field.name} {{\n{indent}  key: {shown}\n"
                if field.is_message:
                    yield f"{indent}  value {{\n"
                    yield from _lines(value[key], indent + "    ")
                    yield f"{indent}  }}\n{indent}}}\n"
                else:
                    yield f"{indent}  value: {_shown(field, value[key])}\n{indent}}}\n"
            continue
        for item in value if field.repeated else [value]:
            if field.is_message:
                yield f"{indent}{field.name} {{\n"
                yield from _lines(item, indent + "  ")
                yield f"{indent}}}\n"
            else:
                yield f"{indent}{field.name}: {_shown(field, item)}\n"


def message(name, *fields):
    """A class of messages, of (name, number, kind, more of _Field) each."""
    return type(name, (Message,), {"_fields": tuple(_Field(*field) for field in fields), "__module__": __name__})


# ---- tensorflow/core/example

BytesList = message("BytesList", ("value", 1, "bytes", True))
FloatList = message("FloatList", ("value", 1, "float", True))
Int64List = message("Int64List", ("value", 1, "int64", True))
Feature = message("Feature", ("bytes_list", 1, BytesList, False, "kind"), ("float_list", 2, FloatList, False, "kind"),
                  ("int64_list", 3, Int64List, False, "kind"))
Features = message("Features", ("feature", 1, Feature, False, None, True))
Example = message("Example", ("features", 1, Features))
FeatureList = message("FeatureList", ("feature", 1, Feature, True))
FeatureLists = message("FeatureLists", ("feature_list", 1, FeatureList, False, None, True))
SequenceExample = message("SequenceExample", ("context", 1, Features), ("feature_lists", 2, FeatureLists))

# ---- tensorflow/core/framework/tensor_shape.proto, tensor.proto

_Dim = message("Dim", ("size", 1, "int64"), ("name", 2, "string"))
TensorShapeProto = message("TensorShapeProto", ("dim", 2, _Dim, True), ("unknown_rank", 3, "bool"))
TensorShapeProto.Dim = _Dim
TensorProto = message("TensorProto", ("dtype", 1, "enum"), ("tensor_shape", 2, TensorShapeProto), ("version_number", 3, "int32"),
                      ("tensor_content", 4, "bytes"), ("float_val", 5, "float", True), ("double_val", 6, "double", True),
                      ("int_val", 7, "int32", True), ("string_val", 8, "bytes", True), ("scomplex_val", 9, "float", True),
                      ("int64_val", 10, "int64", True), ("bool_val", 11, "bool", True), ("dcomplex_val", 12, "double", True),
                      ("half_val", 13, "int32", True), ("uint32_val", 16, "int64", True), ("uint64_val", 17, "int64", True))

# ---- tensorflow/core/framework/summary.proto, tensorflow/core/util/event.proto

HistogramProto = message("HistogramProto", ("min", 1, "double"), ("max", 2, "double"), ("num", 3, "double"), ("sum", 4, "double"),
                         ("sum_squares", 5, "double"), ("bucket_limit", 6, "double", True), ("bucket", 7, "double", True))
_Image = message("Image", ("height", 1, "int32"), ("width", 2, "int32"), ("colorspace", 3, "int32"),
                 ("encoded_image_string", 4, "bytes"))
_Audio = message("Audio", ("sample_rate", 1, "float"), ("num_channels", 2, "int64"), ("length_frames", 3, "int64"),
                 ("encoded_audio_string", 4, "bytes"), ("content_type", 5, "string"))
_PluginData = message("PluginData", ("plugin_name", 1, "string"), ("content", 2, "bytes"))
SummaryMetadata = message("SummaryMetadata", ("plugin_data", 1, _PluginData), ("display_name", 2, "string"),
                          ("summary_description", 3, "string"), ("data_class", 4, "enum"))
SummaryMetadata.PluginData = _PluginData
_Value = message("Value", ("tag", 1, "string"), ("simple_value", 2, "float", False, "value"),
                 ("image", 4, _Image, False, "value"), ("histo", 5, HistogramProto, False, "value"),
                 ("audio", 6, _Audio, False, "value"), ("node_name", 7, "string"),
                 ("tensor", 8, TensorProto, False, "value"), ("metadata", 9, SummaryMetadata))
Summary = message("Summary", ("value", 1, _Value, True))
Summary.Value, Summary.Image, Summary.Audio = _Value, _Image, _Audio
SessionLog = message("SessionLog", ("status", 1, "enum"), ("checkpoint_path", 2, "string"), ("msg", 3, "string"))
SessionLog.STATUS_UNSPECIFIED, SessionLog.START, SessionLog.STOP, SessionLog.CHECKPOINT = range(4)
TaggedRunMetadata = message("TaggedRunMetadata", ("tag", 1, "string"), ("run_metadata", 2, "bytes"))
Event = message("Event", ("wall_time", 1, "double"), ("step", 2, "int64"), ("file_version", 3, "string", False, "what"),
                ("graph_def", 4, "bytes", False, "what"), ("summary", 5, Summary, False, "what"),
                ("session_log", 7, SessionLog, False, "what"),
                ("tagged_run_metadata", 8, TaggedRunMetadata, False, "what"), ("meta_graph_def", 9, "bytes", False, "what"))

# ---- tensorflow/core/protobuf/cluster.proto

JobDef = message("JobDef", ("name", 1, "string"), ("tasks", 2, "string", False, None, "int32"))
ClusterDef = message("ClusterDef", ("job", 1, JobDef, True))

# ---- tensorflow/core/protobuf/tensorflow_server.proto; its default_session_config is bytes here

ServerDef = message("ServerDef", ("cluster", 1, ClusterDef), ("job_name", 2, "string"), ("task_index", 3, "int32"),
                    ("default_session_config", 4, "bytes"), ("protocol", 5, "string"), ("port", 6, "int32"), ("replica", 8, "int32"))

# ---- tensorflow/core/protobuf/saver.proto

SaverDef = message("SaverDef", ("filename_tensor_name", 1, "string"), ("save_tensor_name", 2, "string"), ("restore_op_name", 3, "string"),
                   ("max_to_keep", 4, "int32"), ("sharded", 5, "bool"), ("keep_checkpoint_every_n_hours", 6, "float"), ("version", 7, "enum"))
SaverDef.LEGACY, SaverDef.V1, SaverDef.V2 = 0, 1, 2

# ---- tensorflow/core/protobuf/queue_runner.proto, and what meta_graph.proto has of collections

QueueRunnerDef = message("QueueRunnerDef", ("queue_name", 1, "string"), ("enqueue_op_name", 2, "string", True), ("close_op_name", 3, "string"),
                         ("cancel_op_name", 4, "string"), ("queue_closed_exception_types", 5, "enum", True))
_CollectionDef = message("CollectionDef", ("bytes_list", 2, BytesList))
CollectionsOfMetaGraph = message("MetaGraphDef", ("collection_def", 4, _CollectionDef, False, None, True))

# ---- tensorflow/core/protobuf/meta_graph.proto: what programs ask a saved model for

_CooSparse = message("CooSparse", ("values_tensor_name", 1, "string"), ("indices_tensor_name", 2, "string"),
                     ("dense_shape_tensor_name", 3, "string"))
TensorInfo = message("TensorInfo", ("name", 1, "string", False, "encoding"), ("coo_sparse", 4, _CooSparse, False, "encoding"),
                     ("dtype", 2, "enum"), ("tensor_shape", 3, TensorShapeProto))
TensorInfo.CooSparse = _CooSparse
SignatureDef = message("SignatureDef", ("inputs", 1, TensorInfo, False, None, True), ("outputs", 2, TensorInfo, False, None, True),
                       ("method_name", 3, "string"))
AssetFileDef = message("AssetFileDef", ("tensor_info", 1, TensorInfo), ("filename", 2, "string"))
_MetaInfoDef = message("MetaInfoDef", ("meta_graph_version", 1, "string"), ("tags", 4, "string", True), ("tensorflow_version", 5, "string"))
_NodeList = message("NodeList", ("value", 1, "string", True))
_CollectionOfAnyKind = message("CollectionDef", ("node_list", 1, _NodeList, False, "kind"), ("bytes_list", 2, BytesList, False, "kind"))
MetaGraphDef = message("MetaGraphDef", ("meta_info_def", 1, _MetaInfoDef), ("graph_def", 2, _native.GraphDef), ("saver_def", 3, SaverDef),
                       ("collection_def", 4, _CollectionOfAnyKind, False, None, True), ("signature_def", 5, SignatureDef, False, None, True),
                       ("asset_file_def", 6, AssetFileDef, True))
MetaGraphDef.MetaInfoDef = _MetaInfoDef
_List = message("ListValue", ("s", 2, "bytes", True), ("i", 3, "int64", True), ("f", 4, "float", True), ("b", 5, "bool", True),
                ("type", 6, "enum", True), ("shape", 7, TensorShapeProto, True), ("tensor", 8, TensorProto, True))
AttrValue = message("AttrValue", ("list", 1, _List, False, "value"), ("s", 2, "bytes", False, "value"), ("i", 3, "int64", False, "value"),
                    ("f", 4, "float", False, "value"), ("b", 5, "bool", False, "value"), ("type", 6, "enum", False, "value"),
                    ("shape", 7, TensorShapeProto, False, "value"), ("tensor", 8, TensorProto, False, "value"))
AttrValue.ListValue = _List
NodeDef = message("NodeDef", ("name", 1, "string"), ("op", 2, "string"), ("input", 3, "string", True), ("device", 4, "string"),
                  ("attr", 5, AttrValue, False, None, True))
_ArgDef = message("ArgDef", ("name", 1, "string"), ("description", 2, "string"), ("type", 3, "enum"), ("type_attr", 4, "string"),
                  ("number_attr", 5, "string"), ("type_list_attr", 6, "string"), ("is_ref", 16, "bool"))
_AttrDef = message("AttrDef", ("name", 1, "string"), ("type", 2, "string"), ("default_value", 3, AttrValue), ("description", 4, "string"),
                   ("has_minimum", 5, "bool"), ("minimum", 6, "int64"), ("allowed_values", 7, AttrValue))
OpDef = message("OpDef", ("name", 1, "string"), ("input_arg", 2, _ArgDef, True), ("output_arg", 3, _ArgDef, True),
                ("attr", 4, _AttrDef, True), ("is_stateful", 17, "bool"))
OpDef.ArgDef, OpDef.AttrDef = _ArgDef, _AttrDef
GraphDef = message("GraphDef", ("node", 1, NodeDef, True))


def _read(graph_def):
    return _native._read_graph_def(graph_def, GraphDef).node


_native.NodeDef.attr = property(lambda self: _read(self._graph_def)[0].attr)
_native.NodeDef.SerializeToString = lambda self: _read(self._graph_def)[0].SerializeToString()
_native.GraphDef.node = property(lambda self: _read(self.SerializeToString()))
_node_def_of = _native.Operation.node_def.__get__
_native.Operation.node_def = property(lambda self: _read(_node_def_of(self)._graph_def)[0])
