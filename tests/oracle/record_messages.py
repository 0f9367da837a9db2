#!/usr/bin/env python3
"""Records TensorFlow's messages in bytes and in text, and what its C++ makes of TensorProtos, as tests/golden/messages.json.

Usage: record_messages.py
The format is in tests/golden/README.md.
"""

import json
import os

from google.protobuf import text_format
from tensorflow.core.framework import device_attributes_pb2, graph_pb2, node_def_pb2, tensor_pb2
from tensorflow.core.protobuf import config_pb2, named_tensor_pb2
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed


def parse(kind, text):
    return text_format.Parse(text, kind())


def every_attribute():
    """A node with each kind of attribute, and numbers and letters that are hard to print."""
    node = node_def_pb2.NodeDef(name="x\n\"\\\x01\u00e9'", op="A", input=["a", "b:1", "^c"], device="/job:ps/task:0")
    attr = node.attr
    attr["s"].s = b"\xff\x00a\tq'1\r\x7f"
    attr["i"].i = -(2**63)
    for i, value in enumerate([0.1, 1, -0.0, 16777216, 1e15, 1e16, 123456.789, 1e-4, 1e-5, 1e30, 3.4028235e38, 1e-45,
                               float("inf"), float("-inf"), float("nan")]):
        attr[f"f{i}"].f = value
    attr["b"].b = True
    attr["no"].b = False
    attr["type"].type = 1
    attr["ref"].type = 107
    attr["other_type"].type = 77
    attr["shape"].shape.dim.add(size=-1, name="rows")
    attr["shape"].shape.dim.add()
    attr["unknown"].shape.unknown_rank = True
    attr["tensor"].tensor.CopyFrom(tf.make_tensor_proto([[1.5, 2.0], [3.0, -4.0]]))
    attr["placeholder"].placeholder = "T"
    attr["func"].func.name = "f"
    attr["func"].func.attr["T"].type = 9
    attr["func"].func.attr["g"].func.name = "g"
    attr["none"].SetInParent()
    attr["list_empty"].list.SetInParent()
    values = attr["list"].list
    values.s.extend([b"a", b""])
    values.i.extend([1, -1, 2**40])
    values.f.extend([0.5, -2])
    values.b.extend([True, False])
    values.type.extend([1, 2])
    values.shape.add().dim.add(size=3)
    values.tensor.add(dtype=3).int_val.append(7)
    values.func.add(name="h")
    return node


def library():
    @tf.function
    def twice(x):
        return x + x

    concrete = twice.get_concrete_function(tf.TensorSpec([2], tf.float32))
    graph = concrete.graph.as_graph_def()
    graph.library.function.add().CopyFrom(concrete.function_def)
    graph.library.function[0].signature.name = "twice"
    graph.library.gradient.add(function_name="twice", gradient_func="thrice")
    graph.versions.bad_consumers.extend([1, 2])
    return graph


def plain(graph):
    """Without what is experimental: fields that we carry along but do not show."""
    for node in graph.node:
        node.ClearField("experimental_type")
    return graph


def messages():
    network = tf.Graph()
    with network.as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(tf.random_normal([3, 2], seed=1), name="w")
        with tf.device("/job:ps/task:0"):
            loss = tf.reduce_mean(tf.nn.relu(tf.matmul(x, w)))
        tf.train.AdamOptimizer().minimize(loss)
    return {
        "node_every_attribute": every_attribute(),
        "node_empty": node_def_pb2.NodeDef(),
        "graph_network": plain(network.as_graph_def()),
        "graph_library": library(),
        "graph_empty": graph_pb2.GraphDef(),
        "graph_versions": parse(graph_pb2.GraphDef, "versions {} library {} version: -3"),
        "tensor_lists": parse(
            tensor_pb2.TensorProto,
            """dtype: DT_INT32 tensor_shape { dim {} dim { size: 1 } } version_number: 2 tensor_content: "ab\\377"
               float_val: [1, 2.5] double_val: [1e300] half_val: [1, 65535] int_val: [-1, 300] string_val: ["x", ""]
               scomplex_val: [1, -2] int64_val: [-1] bool_val: [true, false] dcomplex_val: [0.1, 1]
               uint32_val: [4294967295] uint64_val: [18446744073709551615]"""),
        "config": parse(
            config_pb2.ConfigProto,
            """device_count { key: "CPU" value: 2 } intra_op_parallelism_threads: 3 inter_op_parallelism_threads: 4
               device_filters: ["/job:ps", "/job:worker"] allow_soft_placement: true log_device_placement: true
               use_per_session_threads: true operation_timeout_in_ms: 5000 isolate_session_state: true
               gpu_options { allow_growth: true } graph_options { place_pruned_graph: true }
               cluster_def { job { name: "ps" tasks { key: 1 value: "b:2" } tasks { key: 0 value: "a:1" } } }"""),
        "run_options": parse(
            config_pb2.RunOptions,
            """trace_level: FULL_TRACE timeout_in_ms: 1500 inter_op_thread_pool: -1 output_partition_graphs: true
               report_tensor_allocations_upon_oom: true"""),
        "run_metadata": parse(
            config_pb2.RunMetadata,
            """step_stats { dev_stats { device: "/cpu:0" thread_names { key: 7 value: "main" } node_stats {
                 node_name: "n" all_start_micros: 1600000000000000 op_start_rel_micros: 1 op_end_rel_micros: 2
                 all_end_rel_micros: 3 timeline_label: "n = Neg(x)" scheduled_micros: 4 thread_id: 7
                 output { slot: 1 } } } }
               cost_graph { node { name: "n" } } partition_graphs { node { name: "n" op: "NoOp" } }"""),
        "callable_options": parse(
            config_pb2.CallableOptions,
            """feed: "x:0" fetch: ["y:0", "z:0"] target: "init" run_options { timeout_in_ms: 9 }"""),
        "device_attributes": parse(
            device_attributes_pb2.DeviceAttributes,
            """name: "/job:worker/replica:0/task:0/device:CPU:0" device_type: "CPU" memory_limit: 268435456 locality {}
               incarnation: 18446744073709551615 physical_device_desc: "d" xla_global_id: -1"""),
        "named_tensor": named_tensor_pb2.NamedTensorProto(name="x:0", tensor=tf.make_tensor_proto([1.0, 2.0])),
    }


TENSORS = {
    "content": 'dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "\\000\\000\\200?\\000\\000\\000@"',
    "content_wins": 'dtype: DT_INT32 tensor_shape {} tensor_content: "\\001\\000\\000\\000" int_val: 9',
    "content_too_short": 'dtype: DT_INT32 tensor_shape {} tensor_content: "\\001\\000\\000"',
    "content_too_long": 'dtype: DT_INT32 tensor_shape {} tensor_content: "\\001\\000\\000\\000\\000"',
    "content_bool": 'dtype: DT_BOOL tensor_shape { dim { size: 3 } } tensor_content: "\\000\\001\\001"',
    "content_half": 'dtype: DT_HALF tensor_shape { dim { size: 1 } } tensor_content: "\\000<"',
    "content_complex": 'dtype: DT_COMPLEX64 tensor_shape {} tensor_content: "\\000\\000\\200?\\000\\000\\000@"',
    "content_strings": 'dtype: DT_STRING tensor_shape { dim { size: 3 } } tensor_content: "\\004\\000\\003hey!abc"',
    "content_one_string": 'dtype: DT_STRING tensor_shape {} tensor_content: "\\004hey!"',
    "content_strings_too_long": 'dtype: DT_STRING tensor_shape {} tensor_content: "\\004hey!!"',
    "content_strings_too_short": 'dtype: DT_STRING tensor_shape {} tensor_content: "\\004hey"',
    "content_strings_too_few": 'dtype: DT_STRING tensor_shape { dim { size: 9 } } tensor_content: "\\004hey!"',
    "content_of_nothing": 'dtype: DT_FLOAT tensor_shape { dim {} } tensor_content: "\\000"',
    "no_shape": "dtype: DT_FLOAT float_val: 2",
    "no_dtype": "tensor_shape {} float_val: 2",
    "repeats": "dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: [1, 2]",
    "empty_is_zero": "dtype: DT_INT64 tensor_shape { dim { size: 3 } }",
    "empty_strings": "dtype: DT_STRING tensor_shape { dim { size: 2 } }",
    "surplus": "dtype: DT_DOUBLE tensor_shape { dim { size: 2 } } double_val: [1, 2, 3]",
    "surplus_of_nothing": "dtype: DT_DOUBLE tensor_shape { dim {} } double_val: [1]",
    "strings": 'dtype: DT_STRING tensor_shape { dim { size: 3 } } string_val: ["a", "\\377\\000"]',
    "half": "dtype: DT_HALF tensor_shape { dim { size: 3 } } half_val: [15360, 81920]",
    "bfloat16": "dtype: DT_BFLOAT16 tensor_shape { dim { size: 2 } } half_val: [16256]",
    "complex64": "dtype: DT_COMPLEX64 tensor_shape { dim { size: 3 } } scomplex_val: [1, 2, 3, 4, 5]",
    "complex128": "dtype: DT_COMPLEX128 tensor_shape { dim { size: 2 } } dcomplex_val: [1, 2]",
    "bool": "dtype: DT_BOOL tensor_shape { dim { size: 3 } } bool_val: [true, false]",
    "uint8": "dtype: DT_UINT8 tensor_shape { dim { size: 4 } } int_val: [255, 256, -1, 300]",
    "int8": "dtype: DT_INT8 tensor_shape { dim { size: 3 } } int_val: [127, 128, -129]",
    "int16": "dtype: DT_INT16 tensor_shape { dim { size: 2 } } int_val: [32768, -1]",
    "uint16": "dtype: DT_UINT16 tensor_shape { dim { size: 2 } } int_val: [65535, 65536]",
    "qint8": "dtype: DT_QINT8 tensor_shape { dim { size: 2 } } int_val: [-1, 128]",
    "quint8": "dtype: DT_QUINT8 tensor_shape { dim { size: 2 } } int_val: [-1, 256]",
    "qint16": "dtype: DT_QINT16 tensor_shape { dim { size: 2 } } int_val: [40000]",
    "quint16": "dtype: DT_QUINT16 tensor_shape { dim { size: 2 } } int_val: [40000]",
    "qint32": "dtype: DT_QINT32 tensor_shape { dim { size: 2 } } int_val: [-5]",
    "uint32": "dtype: DT_UINT32 tensor_shape { dim { size: 2 } } uint32_val: [4294967295]",
    "uint64": "dtype: DT_UINT64 tensor_shape { dim { size: 2 } } uint64_val: [18446744073709551615]",
    "list_of_another_type": "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } int_val: [1, 2]",
    "negative_dimension": "dtype: DT_FLOAT tensor_shape { dim { size: -2 } } float_val: 1",
    "unknown_dimension": "dtype: DT_FLOAT tensor_shape { dim { size: -1 } } float_val: 1",
    "unknown_rank": "dtype: DT_FLOAT tensor_shape { unknown_rank: true } float_val: 1",
    "too_many_elements": "dtype: DT_FLOAT tensor_shape { dim { size: 4611686018427387904 } dim { size: 4 } } float_val: 1",
    "reference": "dtype: DT_FLOAT_REF tensor_shape {} float_val: 1",
}


def value_of(proto):
    """The tensor as TensorFlow's C++ reads it: a step that parses the message."""
    with tf.Graph().as_default(), tf.Session() as session:
        out_type = tf.as_dtype(proto.dtype).base_dtype if proto.dtype else tf.float32
        try:
            value = session.run(tf.io.parse_tensor(proto.SerializeToString(), out_type))
        except tf.errors.OpError as error:
            return {"error": type(error).__name__}
    value = np.asarray(value)
    if out_type == tf.string:
        return {"shape": list(value.shape), "strings": [item.hex() for item in value.ravel()]}
    return {"shape": list(value.shape), "bytes": value.tobytes().hex()}


CONSTANTS = {
    "float_scalar": np.float32(1.5),
    "float_list": np.array([1, 2], np.float32),
    "float_one_in_a_list": np.array([[3]], np.float32),
    "nothing": np.zeros([0, 2], np.float32),
    "int64_scalar": np.int64(-3),
    "int32_list": np.array([1, 2, 3], np.int32),
    "uint8_list": np.array([1, 255], np.uint8),
    "uint16_list": np.array([1, 65535], np.uint16),
    "uint32_scalar": np.uint32(2**32 - 1),
    "uint64_list": np.array([1, 2**64 - 1], np.uint64),
    "bool_list": np.array([True, False]),
    "bfloat16_list": np.array([1, -2], tf.bfloat16.as_numpy_dtype),
    "half_list": np.array([1, -2], np.float16),
    "double_scalar": np.float64(0.1),
    "complex_list": np.array([1 + 2j, -3j], np.complex64),
    "complex128_scalar": np.complex128(1 - 1j),
    "string_scalar": np.array(b"x\xff", object),
    "string_list": np.array([b"a", b""], object),
}


def main():
    recorded = {"messages": {}, "tensors": {}, "constants": {}}
    for name, message in messages().items():
        data = message.SerializeToString(deterministic=True).hex()
        recorded["messages"][name] = {"bytes": data, "text": text_format.MessageToString(message)}
    for name, text in TENSORS.items():
        proto = parse(tensor_pb2.TensorProto, text)
        recorded["tensors"][name] = {"proto": proto.SerializeToString().hex(), "dtype": proto.dtype, **value_of(proto)}
    for name, value in CONSTANTS.items():
        recorded["constants"][name] = tf.make_tensor_proto(value).SerializeToString(deterministic=True).hex()
    lines = []
    for group, entries in recorded.items():
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items())
        lines.append(f"{json.dumps(group)}: {{\n{rows}\n}}")
    if write_if_changed(os.path.join(GOLDEN, "messages.json"), "{" + ",\n".join(lines) + "}\n"):
        print("messages.json")


if __name__ == "__main__":
    main()
