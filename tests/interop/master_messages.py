"""The messages of TensorFlow's MasterService: its Python package lacks their classes, though not those that they are made of.

`request(method)` and `response(method)` are message classes, for each of METHODS.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tensorflow.core.framework import device_attributes_pb2, graph_pb2, tensor_pb2  # noqa: F401  (they fill the pool)
from tensorflow.core.protobuf import config_pb2, named_tensor_pb2  # noqa: F401

PACKAGE = "tensorflow.interop"
HANDLE = {"session_handle": (1, "string")}
GRAPH = ".tensorflow.GraphDef"
NAMED_TENSORS, TENSORS = "*.tensorflow.NamedTensorProto", "*.tensorflow.TensorProto"
# Method: fields of the request, fields of the response, as name: (number, type); "*" before the type says repeated.
FIELDS = {
    "CreateSession": (
        {"graph_def": (1, GRAPH), "config": (2, ".tensorflow.ConfigProto"), "target": (3, "string")},
        {**HANDLE, "graph_version": (2, "int64")},
    ),
    "ExtendSession": (
        {**HANDLE, "graph_def": (2, GRAPH), "current_graph_version": (3, "int64")},
        {"new_graph_version": (4, "int64")},
    ),
    "PartialRunSetup": (
        {**HANDLE, "feed": (2, "*string"), "fetch": (3, "*string"), "target": (4, "*string"), "request_id": (5, "int64")},
        {"partial_run_handle": (1, "string")},
    ),
    "RunStep": (
        {**HANDLE, "feed": (2, NAMED_TENSORS), "fetch": (3, "*string"), "target": (4, "*string"),
         "options": (5, ".tensorflow.RunOptions"), "partial_run_handle": (6, "string"),
         "store_errors_in_response_body": (7, "bool"), "request_id": (8, "int64")},
        {"tensor": (1, NAMED_TENSORS), "metadata": (2, ".tensorflow.RunMetadata"), "status_code": (3, "int32"),
         "status_error_message": (4, "string")},
    ),
    "CloseSession": (HANDLE, {}),
    "Reset": ({"container": (1, "*string"), "device_filters": (2, "*string")}, {}),
    "ListDevices": (
        HANDLE,
        {"local_device": (1, "*.tensorflow.DeviceAttributes"), "remote_device": (2, "*.tensorflow.DeviceAttributes")},
    ),
    "MakeCallable": (
        {**HANDLE, "options": (2, ".tensorflow.CallableOptions"), "request_id": (3, "int64")},
        {"handle": (1, "int64")},
    ),
    "RunCallable": (
        {**HANDLE, "handle": (2, "int64"), "feed": (3, TENSORS), "request_id": (4, "int64")},
        {"fetch": (1, TENSORS), "metadata": (2, ".tensorflow.RunMetadata")},
    ),
    "ReleaseCallable": ({**HANDLE, "handle": (2, "int64")}, {}),
}
METHODS = tuple(FIELDS)


def _describe(file, name, fields):
    message = file.message_type.add(name=name)
    for field_name, (number, kind) in fields.items():
        field = message.field.add(name=field_name, number=number)
        field.label = field.LABEL_REPEATED if kind.startswith("*") else field.LABEL_OPTIONAL
        kind = kind.removeprefix("*")
        if kind.startswith("."):
            field.type, field.type_name = field.TYPE_MESSAGE, kind
        else:
            field.type = getattr(field, f"TYPE_{kind.upper()}")


def _make_classes():
    file = descriptor_pb2.FileDescriptorProto(name="flowray/interop/master.proto", package=PACKAGE, syntax="proto3")
    folders = {"device_attributes": "framework", "graph": "framework", "tensor": "framework"}
    for used in ("device_attributes", "graph", "tensor", "config", "named_tensor"):
        file.dependency.append(f"tensorflow/core/{folders.get(used, 'protobuf')}/{used}.proto")
    for method, kinds in FIELDS.items():
        for suffix, fields in zip(("Request", "Response"), kinds):
            _describe(file, method + suffix, fields)
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        message.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{message.name}"))
        for message in file.message_type
    }


_CLASSES = _make_classes()


def request(method):
    return _CLASSES[method + "Request"]


def response(method):
    return _CLASSES[method + "Response"]
