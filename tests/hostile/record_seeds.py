#!/usr/bin/env python3
"""Writes seeds.tfrecord: for each op small graphs in which it works, the cases and scenarios of tests/conformance, and the graphs with
functions and control flow of tests/golden. What tries to break the op (hostile.cpp) starts from them and changes a few things. Needs
TensorFlow; a record is the bytes of a GraphDef whose nodes can be run one after the other, its inputs are constants.
`hostile --untried` prints the registered ops that no graph has."""

import collections
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(TESTS, "conformance"), os.path.join(TESTS, "interop")]

import numpy as np  # noqa: E402
from tensorflow_client import tf  # noqa: E402

import families  # noqa: E402
import programs  # noqa: E402
import signatures  # noqa: E402
from case import generate  # noqa: E402

CASES_OF_AN_OP = 4
LARGEST = 12_000  # bytes
COMPONENTS_OF_A_SCENARIO = 6


def with_constants(graph, feeds):
    """The graph's message, what is fed being constants."""
    message = graph.as_graph_def()
    values = {tensor.op.name: value for tensor, value in feeds.items()}
    for node in message.node:
        if node.op == "Placeholder" and node.name in values:
            value = np.asarray(values[node.name])
            dtype = node.attr["dtype"].type
            node.op = "Const"
            node.attr.clear()
            node.attr["dtype"].type = dtype
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.as_dtype(dtype), value.shape))
    return message


def of_case(case, needs_shapes):
    graph = tf.Graph()
    with graph.as_default():
        program = programs.build(case, (lambda array: array.shape) if needs_shapes else (lambda array: None))
    return with_constants(graph, program.feeds)


def chosen(cases):
    """A few of different dtypes and attributes."""
    plain = [case for case in cases if case.kind in ("values", "empty") and case.is_fed]
    different = collections.OrderedDict()
    for case in plain:
        attrs = tuple(sorted((key, str(value)) for key, value in case.attrs.items()))
        different.setdefault((tuple(array.dtype.name for array in case.arrays()), attrs), case)
    found = list(different.values())
    return found[:: max(1, len(found) // CASES_OF_AN_OP)][:CASES_OF_AN_OP]


def of_op(op):
    family = families.FAMILIES.get(op)
    if family is not None:
        for case in chosen(list(generate(op, family, 0))):
            try:
                yield of_case(case, family.needs_shapes)
            except programs.Unbuildable:
                pass


def ops_of(message):
    nodes = list(message.node) + [node for function in message.library.function for node in function.node_def]
    return {node.op for node in nodes}


def scenario_message(build):
    graph = tf.Graph()
    feeds = {}
    with graph.as_default():
        tf.set_random_seed(11)
        try:
            for step in build():
                feeds.update(step[1] or {})
        except Exception as error:  # what a scenario does that the client refuses ends it
            print(f"{build.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
    return with_constants(graph, feeds)


def components(message):
    """The parts of a graph that have nothing to do with each other, in its order, each with the functions that it needs."""
    names = {node.name: index for index, node in enumerate(message.node)}
    part = list(range(len(message.node)))

    def root(index):
        while part[index] != index:
            part[index] = part[part[index]]
            index = part[index]
        return index

    for index, node in enumerate(message.node):
        for name in [text.lstrip("^").split(":")[0] for text in node.input] + colocated_with(node):
            if name in names:
                part[root(index)] = root(names[name])
    found = collections.OrderedDict()
    for index, node in enumerate(message.node):
        found.setdefault(root(index), []).append(node)
    for nodes in found.values():
        yield with_functions(nodes, message)


def colocated_with(node):
    return [text[5:].decode() for text in node.attr["_class"].list.s if text.startswith(b"loc:@")] if "_class" in node.attr else []


def with_functions(nodes, message):
    result = tf.GraphDef()
    result.node.extend(nodes)
    result.versions.CopyFrom(message.versions)
    functions = {function.signature.name: function for function in message.library.function}
    wanted, queue = set(), list(nodes)
    while queue:
        node = queue.pop()
        called = [node.op] + [item.name for attr in node.attr.values() for item in [attr.func, *attr.list.func]]
        for name in called:
            if name in functions and name not in wanted:
                wanted.add(name)
                queue.extend(functions[name].node_def)
    result.library.function.extend(functions[name] for name in functions if name in wanted)
    return result


def of_scenario(build):
    """The whole, or where that is large its parts: those with other ops than the ones before, and a few more."""
    message = scenario_message(build)
    if message.ByteSize() <= LARGEST:
        yield message
        return
    parts = [part for part in components(message) if len(part.node) > 1 and part.ByteSize() <= LARGEST]
    seen, alike = set(), []
    for part in parts:
        if ops_of(part) <= seen:
            alike.append(part)
        else:
            seen |= ops_of(part)
            yield part
    yield from alike[:: max(1, len(alike) // COMPONENTS_OF_A_SCENARIO)][:COMPONENTS_OF_A_SCENARIO]


def of_golden_graphs():
    """Programs with functions and control flow, whose placeholders become constants of ones."""
    for name in ("functions", "function_gradients", "control_flow", "irregular_flow"):
        with open(os.path.join(TESTS, "golden", name + ".json"), encoding="utf-8") as file:
            programs_of_file = json.load(file)
        for program in programs_of_file.values():
            if not isinstance(program, dict) or "graph" not in program:
                continue
            message = tf.GraphDef.FromString(bytes.fromhex(program["graph"]))
            for node in message.node:
                if node.op != "Placeholder":
                    continue
                dtype, shape = tf.as_dtype(node.attr["dtype"].type), tf.TensorShape(node.attr["shape"].shape)
                dims = [2 if dim is None else dim for dim in (shape.as_list() if shape.rank is not None else [])]
                if dtype not in (tf.resource, tf.variant):
                    node.op = "Const"
                    node.attr.clear()
                    node.attr["dtype"].type = dtype.as_datatype_enum
                    value = np.full(dims, b"x" if dtype == tf.string else 1, dtype.as_numpy_dtype)
                    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype, dims))
            yield message


def other_ops():
    """Builders of small graphs of ops that no case and no scenario has; each runs what it makes."""
    raw = tf.raw_ops
    floats = lambda: tf.constant([[4.0, 1.0], [1.0, 3.0]])  # noqa: E731
    image = lambda: tf.reshape(tf.range(16.0), [1, 4, 4, 1])  # noqa: E731
    strings = {"container": "", "shared_name": ""}

    def accumulator():
        handle = raw.ConditionalAccumulator(dtype=tf.float32, shape=[2], reduction_type="MEAN", **strings)
        applied = raw.AccumulatorApplyGradient(handle=handle, local_step=tf.constant(1, tf.int64), gradient=tf.constant([1.0, 2.0]))
        stepped = raw.AccumulatorSetGlobalStep(handle=handle, new_global_step=tf.constant(0, tf.int64))
        with tf.control_dependencies([applied, stepped]):
            raw.AccumulatorTakeGradient(handle=handle, num_required=tf.constant(1), dtype=tf.float32)

    def reader(record=b"abcdefgh"):
        name = tf.constant("seed_of_reader")
        written = raw.WriteFile(filename=name, contents=tf.constant(record))
        queue = raw.FIFOQueue(component_types=[tf.string], shapes=[[]], capacity=4, **strings)
        with tf.control_dependencies([written]):
            queued = raw.QueueEnqueue(handle=queue, components=[name])
        with tf.control_dependencies([queued]):
            raw.ReaderRead(reader_handle=raw.WholeFileReader(**strings), queue_handle=queue)

    def records():
        with tempfile.TemporaryDirectory() as folder:
            with tf.io.TFRecordWriter(os.path.join(folder, "records")) as writer:
                writer.write(b"record")
            with open(os.path.join(folder, "records"), "rb") as file:
                return file.read()

    def renamed(build, op, old, num_inputs=None, without=(), **attrs):
        """Of an op that TensorFlow's Python makes no more, by a node of another one."""
        def build_message():
            build()
            message = tf.get_default_graph().as_graph_def()
            for node in message.node:
                if node.op == op:
                    node.op = old
                    del node.input[len(node.input) if num_inputs is None else num_inputs:]
                    for name in without:
                        del node.attr[name]
                    for name, value in attrs.items():
                        if isinstance(value, int):
                            node.attr[name].i = value
                        else:
                            node.attr[name].s = value
            return message
        return build_message

    def readers_of_version_2():
        queue = raw.FIFOQueueV2(component_types=[tf.string], shapes=[[]], capacity=4, **strings)
        queued = raw.QueueEnqueueV2(handle=queue, components=[tf.constant("work")])
        handle = raw.IdentityReaderV2(**strings)
        with tf.control_dependencies([queued]):
            read = raw.ReaderReadUpToV2(reader_handle=handle, queue_handle=queue, num_records=tf.constant(1, tf.int64))
        with tf.control_dependencies([read[0]]):
            raw.ReaderNumRecordsProducedV2(reader_handle=handle)
            raw.ReaderNumWorkUnitsCompletedV2(reader_handle=handle)
            raw.ReaderResetV2(reader_handle=handle)

    def function(body, *dtypes):
        return tf.function(body, input_signature=[tf.TensorSpec([], dtype) for dtype in dtypes], autograph=False).get_concrete_function()

    def numbers():
        return raw.RangeDataset(start=tf.constant(0, tf.int64), stop=tf.constant(6, tf.int64), step=tf.constant(1, tf.int64),
                                output_types=[tf.int64], output_shapes=[[]])

    def iterated(make, types=(tf.int64,), shapes=((),)):
        def build():
            outputs = {"output_types": list(types), "output_shapes": [tf.TensorShape(shape) for shape in shapes]}
            iterator = raw.IteratorV2(**strings, **outputs)
            raw.MakeIterator(dataset=make(outputs), iterator=iterator)
            raw.IteratorGetNext(iterator=iterator, **outputs)
        return build

    def parallel_map(outputs):
        return raw.ParallelMapDataset(input_dataset=numbers(), other_arguments=[], num_parallel_calls=tf.constant(2),
                                      f=function(lambda x: x + 1, tf.int64), **outputs)

    def parallel_interleave(outputs):
        inner = function(lambda x: raw.RangeDataset(start=tf.constant(0, tf.int64), stop=x, step=tf.constant(1, tf.int64), **outputs), tf.int64)
        two = tf.constant(2, tf.int64)
        return raw.ParallelInterleaveDatasetV4(
            input_dataset=numbers(), other_arguments=[], cycle_length=two, block_length=two, buffer_output_elements=two,
            prefetch_input_elements=two, num_parallel_calls=two, f=inner, **outputs)

    def generator(outputs):
        return raw.GeneratorDataset(init_func_other_args=[], next_func_other_args=[], finalize_func_other_args=[],
                                    init_func=function(lambda: tf.constant(1, tf.int64)), next_func=function(lambda x: x + 1, tf.int64),
                                    finalize_func=function(lambda x: x, tf.int64), **outputs)

    def padded(outputs):
        return raw.PaddedBatchDataset(input_dataset=numbers(), batch_size=tf.constant(4, tf.int64),
                                      padded_shapes=[tf.constant([], tf.int64)], padding_values=[tf.constant(0, tf.int64)],
                                      output_shapes=outputs["output_shapes"])

    def fixed_length(outputs):
        name = tf.constant("seed_of_dataset")
        with tf.control_dependencies([raw.WriteFile(filename=name, contents=tf.constant(b"abcdefgh"))]):
            eight, zero = tf.constant(4, tf.int64), tf.constant(0, tf.int64)
            return raw.FixedLengthRecordDataset(filenames=tf.identity(name), header_bytes=zero, record_bytes=eight, footer_bytes=zero,
                                                buffer_size=zero)

    def rows_of_text(op, **columns):
        def rows(outputs):
            name = tf.constant("seed_of_rows")
            with tf.control_dependencies([raw.WriteFile(filename=name, contents=tf.constant(b"1,2.5,a\n2,,\n3,x,\"b,c\"\n"))]):
                defaults = [tf.constant([], tf.int32), tf.constant([7.0]), tf.constant([b"?"])]
                text = {key: tf.constant(value) for key, value in (("compression_type", ""), ("field_delim", ","), ("na_value", ""))}
                made = op(filenames=tf.identity(name), buffer_size=tf.constant(0, tf.int64), header=tf.constant(False),
                          use_quote_delim=tf.constant(True), select_cols=tf.constant([], tf.int64), record_defaults=defaults,
                          output_shapes=outputs["output_shapes"], **text, **columns)
            raw.DatasetCardinality(input_dataset=made)
            return raw.IgnoreErrorsDataset(input_dataset=made, **outputs)
        return iterated(rows, types=(tf.int32, tf.float32, tf.string), shapes=((), (), ()))

    def chosen(outputs):
        random = raw.RandomDataset(seed=tf.constant(3, tf.int64), seed2=tf.constant(4, tf.int64), **outputs)
        return raw.DirectedInterleaveDataset(selector_input_dataset=numbers(), data_input_datasets=[numbers() for _ in range(5)] + [random], **outputs)

    def old_iterator():
        outputs = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}
        iterator = raw.Iterator(**strings, **outputs)
        raw.MakeIterator(dataset=numbers(), iterator=iterator)
        raw.IteratorGetNext(iterator=raw.IteratorFromStringHandle(string_handle=raw.IteratorToStringHandle(resource_handle=iterator), **outputs), **outputs)

    def array():
        handle, flow = raw.TensorArrayV3(size=tf.constant(2), dtype=tf.float32)
        written = raw.TensorArrayWriteV3(handle=handle, index=tf.constant(0), value=tf.constant([1.0]), flow_in=flow)
        with tf.control_dependencies([written]):
            raw.TensorArrayCloseV3(handle=handle)

    def lists():
        made = raw.TensorListScatter(tensor=floats(), indices=tf.constant([1, 0]), element_shape=tf.constant([2]))
        raw.TensorListConcat(input_handle=made, element_dtype=tf.float32, element_shape=[None])

    def variable():
        handle = raw.VarHandleOp(dtype=tf.float32, shape=[2], **strings)
        with tf.control_dependencies([raw.AssignVariableOp(resource=handle, value=tf.constant([1.0, 2.0]))]):
            raw.DisableCopyOnRead(resource=handle)

    def counted():
        handle = raw.VarHandleOp(dtype=tf.int64, shape=[], **strings)
        with tf.control_dependencies([raw.AssignVariableOp(resource=handle, value=tf.constant(1, tf.int64))]):
            raw.ResourceCountUpTo(resource=handle, limit=3, T=tf.int64)

    def gathered():
        handle = raw.VarHandleOp(dtype=tf.float32, shape=[2, 2], **strings)
        with tf.control_dependencies([raw.AssignVariableOp(resource=handle, value=floats())]):
            raw.ResourceGatherNd(resource=handle, indices=tf.constant([[1, 0], [0, 1]]), dtype=tf.float32)

    def crossed(is_hashed, dtypes):
        def build():
            values = [tf.constant([b"a", b"b"]) if dtype == tf.string else tf.constant([3, 5], tf.int64) for dtype in dtypes]
            raw.SparseCross(
                indices=[tf.constant([[0, 0], [1, 0]], tf.int64)] * 2, values=values, shapes=[tf.constant([2, 1], tf.int64)] * 2,
                dense_inputs=[tf.constant([[7], [8]], tf.int64)], hashed_output=is_hashed, num_buckets=5, hash_key=11,
                out_type=tf.int64 if is_hashed else tf.string, internal_type=tf.string)
        return build

    def next_iteration_of_a_variable():
        variable = raw.VariableV2(shape=[2], dtype=tf.float32, **strings)
        with tf.control_dependencies([raw.Assign(ref=variable, value=tf.constant([1.0, 2.0]))]):
            raw.RefNextIteration(data=variable)

    def gradient_of_a_function():
        raw.SymbolicGradient(input=[tf.constant(3.0), tf.constant(2.0)], Tout=[tf.float32], f=function(lambda x: x * x, tf.float32))

    def made_by_masters():
        """Nodes that TensorFlow's Python does not make: its masters do, where steps go over several devices."""
        raw.Identity(input=floats(), name="sent")
        message = tf.get_default_graph().as_graph_def()
        device = b"/job:localhost/replica:0/task:0/device:CPU:0"
        for op, dtype in (("_Send", "T"), ("_HostSend", "T"), ("_Recv", "tensor_type"), ("_HostRecv", "tensor_type"), ("_Arg", "T")):
            node = message.node.add(name=op[1:], op=op)
            node.attr[dtype].type = tf.float32.as_datatype_enum
            if op == "_Arg":
                node.attr["index"].i = 0
                continue
            node.input.extend(["sent"] if dtype == "T" else [])
            for name, value in (("tensor_name", b"edge"), ("send_device", device), ("recv_device", device)):
                node.attr[name].s = value
            node.attr["send_device_incarnation"].i = 1
        return message

    def example():
        proto = tf.train.Example(features=tf.train.Features(feature={
            "d": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
            "s": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))})).SerializeToString(deterministic=True)
        raw.ParseExample(serialized=tf.constant([proto]), names=tf.constant([], tf.string), sparse_keys=["s"], dense_keys=["d"],
                         dense_defaults=[tf.constant([], tf.float32)], sparse_types=[tf.int64], dense_shapes=[[2]])

    def queue():
        handle = raw.PaddingFIFOQueue(component_types=[tf.float32], shapes=[[None]], capacity=3, **strings)
        queued = [raw.QueueEnqueue(handle=handle, components=[tf.constant(values)]) for values in ([1.0], [1.0, 2.0])]
        with tf.control_dependencies(queued):
            raw.QueueDequeueMany(handle=handle, n=tf.constant(2), component_types=[tf.float32])

    def segments(op):
        return lambda: op(data=floats(), segment_ids=tf.constant([0, 1]), num_segments=tf.constant(2))

    return [
        lambda: raw.AccumulateNV2(inputs=[floats(), floats()], shape=[2, 2]),
        accumulator,
        lambda: raw.ClipByValue(t=floats(), clip_value_min=tf.constant(1.5), clip_value_max=tf.constant(3.5)),
        lambda: raw.FakeParam(dtype=tf.float32, shape=[2]),
        lambda: raw.MaxPoolGradGradV2(orig_input=image(), orig_output=tf.nn.max_pool2d(image(), 2, 2, "VALID"), grad=image(),
                                      ksize=tf.constant([1, 2, 2, 1]), strides=tf.constant([1, 2, 2, 1]), padding="VALID"),
        lambda: raw.PrintV2(input=tf.constant("text"), output_stream="stderr", end="\n"),
        lambda: raw.PyFunc(input=[floats()], token="none", Tout=[tf.float32]),
        lambda: raw.EagerPyFunc(input=[floats()], token="none", Tout=[tf.float32], is_async=False),
        lambda: raw.TensorSummary(tensor=floats(), description="", labels=[], display_name=""),
        lambda: raw.Timestamp(), lambda: raw.ToBool(input=tf.constant(2)),
        renamed(lambda: raw.Cholesky(input=floats()), "Cholesky", "BatchCholesky"),
        renamed(lambda: raw.Cholesky(input=floats()), "Cholesky", "SelfAdjointEig"),
        renamed(lambda: raw.MatrixInverse(input=floats()), "MatrixInverse", "BatchMatrixInverse"),
        renamed(lambda: raw.MatrixInverse(input=floats()), "MatrixInverse", "MatrixExponential", without=["adjoint"]),
        renamed(lambda: raw.Placeholder(dtype=tf.float32, shape=[2]), "Placeholder", "PlaceholderV2"),
        renamed(lambda: raw.RandomPoissonV2(shape=tf.constant([3]), rate=tf.constant([1.0, 20.0]), seed=1, seed2=2, dtype=tf.float32),
                "RandomPoissonV2", "RandomPoisson", without=["R"]),
        renamed(lambda: raw.TopKV2(input=floats(), k=1), "TopKV2", "TopK", num_inputs=1, without=["Tk", "index_type"], k=1),
        *[segments(op) for op in (raw.SegmentMaxV2, raw.SegmentMinV2, raw.SegmentProdV2, raw.SegmentSumV2)],
        counted, gathered, gradient_of_a_function, next_iteration_of_a_variable, made_by_masters,
        crossed(True, (tf.int64, tf.string)), crossed(False, (tf.string, tf.int64)),
        array, lists, variable, example, queue, old_iterator, readers_of_version_2,
        reader,
        renamed(reader, "WholeFileReader", "FixedLengthRecordReader", header_bytes=0, record_bytes=4, footer_bytes=0, hop_bytes=0),
        renamed(lambda: reader(b"a\nb\n"), "WholeFileReader", "TextLineReader", skip_header_lines=0),
        renamed(lambda: reader(records()), "WholeFileReader", "TFRecordReader", compression_type=b""),
        iterated(lambda outputs: raw.BatchDataset(input_dataset=numbers(), batch_size=tf.constant(4, tf.int64), **outputs), shapes=((None,),)),
        iterated(padded, shapes=((None,),)),
        iterated(lambda outputs: raw.ModelDataset(input_dataset=numbers(), algorithm=0, cpu_budget=0, ram_budget=0, **outputs)),
        iterated(lambda outputs: raw.OptimizeDatasetV2(
            input_dataset=numbers(), optimizations_enabled=tf.constant([], tf.string), optimizations_disabled=tf.constant([], tf.string),
            optimizations_default=tf.constant([], tf.string), **outputs)),
        iterated(lambda outputs: raw.RewriteDataset(input_dataset=numbers(), rewrite_name=tf.constant("none"), **outputs)),
        iterated(lambda outputs: raw.WindowDataset(
            input_dataset=numbers(), size=tf.constant(2, tf.int64), shift=tf.constant(1, tf.int64), stride=tf.constant(1, tf.int64),
            drop_remainder=tf.constant(True), **outputs), types=(tf.variant,)),
        iterated(chosen), iterated(parallel_map), iterated(parallel_interleave), iterated(generator),
        iterated(fixed_length, types=(tf.string,)),
        rows_of_text(raw.CSVDataset),
        lambda: rows_of_text(raw.CSVDatasetV2, exclude_cols=tf.constant([], tf.int64))(),
    ]


def of_other_ops():
    for build in other_ops():
        graph = tf.Graph()
        with graph.as_default():
            made = build()
        yield made if isinstance(made, tf.GraphDef) else graph.as_graph_def()


def main():
    families.load()
    seen, tried, count = set(), set(), 0
    with tf.io.TFRecordWriter(os.path.join(HERE, "seeds.tfrecord"), "GZIP") as records:
        def add(message):
            nonlocal count
            bytes_of_message = message.SerializeToString(deterministic=True)
            if len(bytes_of_message) <= LARGEST and bytes_of_message not in seen:
                seen.add(bytes_of_message)
                tried.update(ops_of(message))
                records.write(bytes_of_message)
                count += 1

        for op in signatures.signatures():
            for message in of_op(op):
                add(message)
        scenarios = {build.__name__: build for builds in families.SCENARIOS.values() for build in builds}
        for build in scenarios.values():
            for message in of_scenario(build):
                add(message)
        for message in of_golden_graphs():
            add(message)
        for message in of_other_ops():
            add(message)
    print(f"{count} graphs of {len(tried)} ops")


if __name__ == "__main__":
    main()
