"""Small programs for ops that make no sense alone: queues, lists, control flow, tables, accumulators, readers, datasets. Each yields
steps (fetches, feeds), which run one after the other in one session; each step counts as a case of the ops named."""

import os
import tempfile

import numpy as np
from tensorflow.python.ops import cond_v2, list_ops, while_v2
from tensorflow_client import tf

from families import scenario

RAW = tf.raw_ops
DTYPES = (tf.float32, tf.float64, tf.int32, tf.int64, tf.bool, tf.string, tf.float16, tf.complex64)


def some(dtype, *shape):
    count = int(np.prod(shape))
    if dtype == tf.string:
        return np.array([b"s%d" % i for i in range(count)], object).reshape(shape)
    return (np.arange(count) - 1).astype(dtype.as_numpy_dtype).reshape(shape)


@scenario("Const", "Placeholder", "NoOp", "ControlTrigger")
def constants():
    for dtype in DTYPES:
        for shape in ((2, 3), (), (0, 2)):
            yield tf.constant(some(dtype, *shape), dtype), {}
            given = tf.placeholder(dtype, shape)
            with tf.control_dependencies([tf.no_op(), tf.raw_ops.ControlTrigger()]):
                yield tf.identity(given), {given: some(dtype, *shape)}
    yield tf.placeholder(tf.float32, [2], name="not_fed"), {}


@scenario("VariableV2", "Assign", "IsVariableInitialized", "RefIdentity", "AssignAdd", "AssignSub", "ScatterUpdate")
def reference_variables():
    for dtype in (tf.float32, tf.int32, tf.float64, tf.int64):
        variable = RAW.VariableV2(shape=[2, 3], dtype=dtype)
        yield RAW.IsVariableInitialized(ref=variable), {}
        yield tf.identity(variable), {}
        yield tf.assign(variable, some(dtype, 2, 3)), {}
        yield RAW.IsVariableInitialized(ref=variable), {}
        yield tf.assign_add(variable, some(dtype, 2, 3)), {}
        yield tf.assign_sub(variable, tf.ones([2, 3], dtype)), {}
        yield tf.scatter_update(variable, [1], some(dtype, 1, 3)), {}
        yield tf.assign_add(tf.raw_ops.RefIdentity(input=variable), some(dtype, 2, 3)), {}
        yield tf.identity(variable), {}


@scenario("VarHandleOp", "ReadVariableOp", "AssignVariableOp", "VarIsInitializedOp", "AssignAddVariableOp", "AssignSubVariableOp", "VariableShape")
def resource_variables():
    for dtype in (tf.float32, tf.int32, tf.float64, tf.int64):
        handle = RAW.VarHandleOp(dtype=dtype, shape=[2, 3], shared_name=f"variable_{dtype.name}")
        yield RAW.VarIsInitializedOp(resource=handle), {}
        yield RAW.ReadVariableOp(resource=handle, dtype=dtype), {}
        yield RAW.AssignVariableOp(resource=handle, value=tf.constant(some(dtype, 2, 3))), {}
        yield RAW.VarIsInitializedOp(resource=handle), {}
        yield RAW.AssignAddVariableOp(resource=handle, value=tf.constant(some(dtype, 2, 3))), {}
        yield RAW.AssignSubVariableOp(resource=handle, value=tf.ones([2, 3], dtype)), {}
        yield RAW.VariableShape(input=handle), {}
        yield RAW.ReadVariableOp(resource=handle, dtype=dtype), {}


def queue_steps(queue, element, many):
    yield queue.enqueue(element), {}
    yield queue.enqueue_many(many), {}
    yield queue.size(), {}
    yield queue.dequeue(), {}
    yield queue.dequeue_many(2), {}
    yield queue.is_closed(), {}
    yield queue.close(), {}
    yield queue.is_closed(), {}
    yield queue.enqueue(element), {}
    yield queue.dequeue_up_to(5), {}
    yield queue.dequeue(), {}
    yield queue.dequeue_many(0), {}
    yield queue.size(), {}


QUEUE_OPS = ("QueueEnqueueV2", "QueueEnqueueManyV2", "QueueDequeueV2", "QueueDequeueManyV2", "QueueDequeueUpToV2", "QueueCloseV2", "QueueSizeV2",
             "QueueIsClosedV2")


@scenario("FIFOQueueV2", *QUEUE_OPS)
def fifo():
    for dtype in DTYPES:
        queue = tf.FIFOQueue(10, [dtype, tf.int32], [[2], []])
        yield from queue_steps(queue, [some(dtype, 2), 7], [some(dtype, 4, 2), np.arange(4, dtype=np.int32)])


@scenario("PaddingFIFOQueueV2")
def padding():
    for dtype in (tf.float32, tf.int64, tf.string):
        queue = tf.PaddingFIFOQueue(10, [dtype], [[None]])
        for count in (1, 3, 2):
            yield queue.enqueue([some(dtype, count)]), {}
        yield queue.dequeue_many(3), {}
        yield queue.enqueue([some(dtype, 2, 2)]), {}


@scenario("PriorityQueueV2")
def priority():
    queue = tf.PriorityQueue(10, [tf.string], [[]])
    for key in (5, 1, 3, 3):
        yield queue.enqueue([np.int64(key), b"k%d" % key]), {}
    for _ in range(2):
        yield queue.dequeue(), {}
    yield queue.dequeue_many(2), {}
    yield queue.close(), {}
    yield queue.dequeue(), {}


@scenario("RandomShuffleQueueV2")
def shuffling():
    queue = tf.RandomShuffleQueue(20, 2, [tf.int32], [[]], seed=3)
    yield queue.enqueue_many([np.arange(10, dtype=np.int32)]), {}
    for _ in range(3):
        yield queue.dequeue(), {}
    yield queue.dequeue_many(4), {}
    yield queue.size(), {}
    yield queue.close(), {}
    yield queue.dequeue_up_to(9), {}
    yield queue.dequeue(), {}


@scenario("TensorArrayV3", "TensorArrayWriteV3", "TensorArrayReadV3", "TensorArrayGatherV3", "TensorArrayScatterV3", "TensorArraySizeV3",
          "TensorArrayConcatV3", "TensorArraySplitV3", "TensorArrayCloseV3")
def tensor_arrays():
    for dtype in (tf.float32, tf.int32, tf.string):
        array = tf.TensorArray(dtype, 4, clear_after_read=False)
        array = array.write(0, some(dtype, 2)).write(1, some(dtype, 2)).write(3, some(dtype, 2)).write(2, some(dtype, 2))
        yield array.read(1), {}
        yield array.stack(), {}
        yield array.gather([3, 0]), {}
        yield array.size(), {}
        yield array.concat(), {}
        yield array.read(7), {}
        yield tf.TensorArray(dtype, 3).unstack(some(dtype, 3, 2)).read(2), {}
        yield tf.TensorArray(dtype, 2, infer_shape=False).split(some(dtype, 5), [2, 3]).read(1), {}
        yield tf.TensorArray(dtype, 2, dynamic_size=True).write(4, some(dtype, 1)).size(), {}
        yield tf.TensorArray(dtype, 2).write(0, some(dtype, 1)).read(1), {}
        yield tf.TensorArray(dtype, 2).write(2, some(dtype, 1)).size(), {}


@scenario("TensorArrayGradV3")
def tensor_array_gradient():
    x = tf.placeholder(tf.float32, [3, 2])
    for combine in (lambda a: a.stack() ** 2, lambda a: a.read(1) * 3, lambda a: a.gather([2, 0]) * 2):
        y = combine(tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x))
        yield tf.gradients(y, x)[0], {x: some(tf.float32, 3, 2)}


@scenario("StackV2", "StackPushV2", "StackPopV2", "StackCloseV2")
def stacks():
    for dtype in (tf.float32, tf.int32, tf.string, tf.bool):
        stack = RAW.StackV2(max_size=2, elem_type=dtype, stack_name=f"s{dtype.name}")
        first = RAW.StackPushV2(handle=stack, elem=tf.constant(some(dtype, 2)))
        with tf.control_dependencies([first]):
            second = RAW.StackPushV2(handle=stack, elem=tf.constant(some(dtype, 3)))
        with tf.control_dependencies([second]):
            popped = RAW.StackPopV2(handle=stack, elem_type=dtype)
            third = RAW.StackPushV2(handle=stack, elem=tf.constant(some(dtype, 3)))
        yield [popped, second], {}
        yield third, {}
        yield RAW.StackPopV2(handle=RAW.StackV2(max_size=2, elem_type=dtype, stack_name="empty"), elem_type=dtype), {}


@scenario("TensorListReserve", "TensorListSetItem", "TensorListGetItem", "TensorListStack", "TensorListFromTensor", "TensorListLength", "TensorListPushBack",
          "TensorListPopBack", "EmptyTensorList", "TensorListElementShape", "TensorListConcatV2", "TensorListGather", "TensorListScatterV2", "TensorListResize",
          "TensorListSplit", "TensorListConcatLists")
def tensor_lists():
    for dtype in (tf.float32, tf.int32, tf.string):
        full = list_ops.tensor_list_from_tensor(tf.constant(some(dtype, 3, 2)), [2])
        yield list_ops.tensor_list_stack(full, dtype), {}
        yield list_ops.tensor_list_length(full), {}
        yield RAW.TensorListElementShape(input_handle=full, shape_type=tf.int32), {}
        yield list_ops.tensor_list_get_item(full, 1, dtype), {}
        yield list_ops.tensor_list_get_item(full, 5, dtype), {}
        changed = list_ops.tensor_list_set_item(full, 0, tf.constant(some(dtype, 2)))
        yield list_ops.tensor_list_stack(changed, dtype), {}
        empty = list_ops.empty_tensor_list([2], dtype, max_num_elements=2)
        one = list_ops.tensor_list_push_back(empty, tf.constant(some(dtype, 2)))
        yield list_ops.tensor_list_pop_back(one, dtype)[1], {}
        yield list_ops.tensor_list_pop_back(empty, dtype)[1], {}
        two = list_ops.tensor_list_push_back(one, tf.constant(some(dtype, 2)))
        yield list_ops.tensor_list_length(list_ops.tensor_list_push_back(two, tf.constant(some(dtype, 2)))), {}
        yield list_ops.tensor_list_stack(list_ops.tensor_list_reserve([2], 3, dtype), dtype), {}


@scenario("TensorListSetItem", "TensorListStack", "TensorListFromTensor", "TensorListGetItem")
def tensor_list_gradients():
    x = tf.placeholder(tf.float32, [3, 2])
    values = list_ops.tensor_list_from_tensor(x, [2])
    yield tf.gradients(list_ops.tensor_list_stack(values, tf.float32) ** 2, x)[0], {x: some(tf.float32, 3, 2)}
    yield tf.gradients(list_ops.tensor_list_get_item(values, 1, tf.float32) ** 2, x)[0], {x: some(tf.float32, 3, 2)}


@scenario("Switch", "Merge")
def branches():
    for dtype in (tf.float32, tf.int32, tf.string, tf.bool):
        pred, x = tf.placeholder(tf.bool, []), tf.placeholder(dtype, None)
        false, true = RAW.Switch(data=x, pred=pred)
        merged = RAW.Merge(inputs=[tf.identity(false), tf.identity(true)])
        for value in (True, False):
            yield merged.output, {pred: value, x: some(dtype, 2)}
            yield merged.value_index, {pred: value, x: some(dtype, 0)}
        yield false, {pred: True, x: some(dtype, 2)}
    x = tf.placeholder(tf.float32, [3])
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: x * 3)
    for sign in (1, -1):
        yield [y, tf.gradients(y, x)[0]], {x: sign * np.array([1, 2, 3], np.float32)}


@scenario("Enter", "Exit", "NextIteration", "LoopCond", "Switch", "Merge")
def loops():
    x = tf.placeholder(tf.float32, [2])
    for count in (0, 1, 5):
        y = tf.while_loop(lambda i, _: i < count, lambda i, v: (i + 1, v * 1.5 + x), [0, x])[1]
        yield y, {x: np.array([1, -2], np.float32)}
        yield tf.gradients(y, x)[0], {x: np.array([1, -2], np.float32)}
    inner = tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + tf.while_loop(lambda j: j < i, lambda j: j + 1, [0])), [0, 0])
    yield inner[1], {}
    for dtype in (tf.int64, tf.float64, tf.string):
        grown = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, tf.concat([v, v[:1]], 0)), [0, tf.constant(some(dtype, 2))],
                              shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
        yield grown[1], {}


@scenario("RefSwitch", "RefMerge", "RefEnter", "RefExit", "RefNextIteration", "RefSelect")
def reference_flow():
    variable = RAW.VariableV2(shape=[2], dtype=tf.float32)
    yield tf.assign(variable, [1.0, 2.0]), {}
    pred = tf.placeholder(tf.bool, [])
    false, true = RAW.RefSwitch(data=variable, pred=pred)
    for value in (True, False):
        yield RAW.Merge(inputs=[tf.identity(false), tf.identity(true)]).output, {pred: value}
        yield RAW.RefMerge(inputs=[false, true]).value_index, {pred: value}
    other = RAW.VariableV2(shape=[2], dtype=tf.float32)
    yield tf.assign(other, [5.0, 6.0]), {}
    index = tf.placeholder(tf.int32, [])
    chosen = tf.identity(RAW.RefSelect(index=index, inputs=[variable, other]))
    for value in (0, 1, 2):
        yield chosen, {index: value}
    entered = RAW.RefEnter(data=variable, frame_name="frame", is_constant=True)
    yield tf.identity(RAW.RefExit(data=entered)), {}


@scenario("VarHandleOp", "AssignVariableOp", "ReadVariableOp", "AssignAddVariableOp", "VariableShape", "ResourceGather", "ResourceScatterAdd")
def resource_of_any_shape():
    handle = RAW.VarHandleOp(dtype=tf.float32, shape=tf.TensorShape(None), shared_name="shapeless")
    value = tf.placeholder(tf.float32)
    assigned = RAW.AssignVariableOp(resource=handle, value=value)
    read = RAW.ReadVariableOp(resource=handle, dtype=tf.float32)
    with tf.control_dependencies([assigned]):
        read_after = RAW.ReadVariableOp(resource=handle, dtype=tf.float32) * 2
    for shape in ((3,), (2, 4), ()):
        yield assigned, {value: np.ones(shape, np.float32)}
        yield read, {}
    yield read_after, {value: [5, 6]}
    yield RAW.AssignAddVariableOp(resource=handle, value=value), {value: [1, 1]}
    yield RAW.VariableShape(input=handle), {}
    yield RAW.ResourceGather(resource=handle, indices=[1, 0], dtype=tf.float32), {}
    yield RAW.ResourceScatterAdd(resource=handle, indices=[1], updates=[10.0]), {}
    yield tf.reduce_sum(read + 1), {}


@scenario("If", "StatelessIf")
def functional_branches():
    pred, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [3])
    y = cond_v2.cond_v2(pred, lambda: x * 2, lambda: x - 1, name="branch")
    for value in (True, False):
        yield y, {pred: value, x: some(tf.float32, 3)}
        yield tf.gradients(y, x)[0], {pred: value, x: some(tf.float32, 3)}


@scenario("While", "StatelessWhile")
def functional_loops():
    x = tf.placeholder(tf.float32, [2])
    for count in (0, 1, 4):
        y = while_v2.while_loop(lambda i, _: i < count, lambda i, v: (i + 1, v * 1.5), [0, x])[1]
        yield y, {x: np.array([1, -2], np.float32)}
        yield tf.gradients(y, x)[0], {x: np.array([1, -2], np.float32)}


@scenario("Case", "StatelessCase")
def functional_cases():
    index, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [2])
    y = cond_v2.indexed_case(index, [lambda: x * 2, lambda: x + 1, lambda: x - 5], name="case")
    for value in (0, 1, 2, -1, 9):
        yield y, {index: value, x: some(tf.float32, 2)}


@scenario("PartitionedCall", "StatefulPartitionedCall")
def calls():
    from tensorflow.python.framework import function

    @function.Defun(tf.float32, tf.float32, func_name="Sum3Conformance")
    def body(a, b):
        return a + b * 3, a - b

    x = tf.placeholder(tf.float32, [2])
    y = tf.ones([2])
    body.add_to_graph(tf.get_default_graph())
    for op in (RAW.PartitionedCall, RAW.StatefulPartitionedCall):
        yield op(args=[x, y], Tout=[tf.float32, tf.float32], f=body), {x: np.array([1, 2], np.float32)}
        yield op(args=[x * x, y], Tout=[tf.float32, tf.float32], f=body)[1], {x: np.array([1, 2], np.float32)}


@scenario("SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename")
def checkpoints():
    folder = tempfile.mkdtemp(prefix="conformance-")
    path = tf.placeholder(tf.string, [])
    for number, dtype in enumerate((tf.float32, tf.int64, tf.bool, tf.string, tf.float16)):
        where = {path: os.path.join(folder, f"model{number}")}
        yield RAW.SaveV2(prefix=path, tensor_names=["a", "b"], shape_and_slices=["", ""], tensors=[some(dtype, 2, 3), some(dtype)]), where
        yield RAW.RestoreV2(prefix=path, tensor_names=["b", "a"], shape_and_slices=["", ""], dtypes=[dtype, dtype]), where
        yield RAW.RestoreV2(prefix=path, tensor_names=["a"], shape_and_slices=["2 3 0,1:1,2"], dtypes=[dtype]), where
    yield RAW.RestoreV2(prefix=path, tensor_names=["none"], shape_and_slices=[""], dtypes=[tf.float32]), {path: os.path.join(folder, "model0")}
    yield RAW.MergeV2Checkpoints(checkpoint_prefixes=[os.path.join(folder, "model0"), os.path.join(folder, "model1")],
                                 destination_prefix=os.path.join(folder, "merged"), delete_old_dirs=False), {}


@scenario("HashTableV2", "InitializeTableV2", "LookupTableFindV2", "LookupTableSizeV2", "LookupTableExportV2")
def tables():
    for key, value in ((tf.string, tf.int64), (tf.int64, tf.string), (tf.int64, tf.float32), (tf.string, tf.float32), (tf.int32, tf.int32)):
        table = RAW.HashTableV2(key_dtype=key, value_dtype=value, shared_name=f"table_{key.name}_{value.name}")
        yield RAW.LookupTableFindV2(table_handle=table, keys=some(key, 2), default_value=some(value)), {}
        yield RAW.InitializeTableV2(table_handle=table, keys=some(key, 4), values=some(value, 4)), {}
        yield RAW.LookupTableSizeV2(table_handle=table), {}
        yield RAW.LookupTableFindV2(table_handle=table, keys=some(key, 2, 3), default_value=some(value)), {}
        yield RAW.LookupTableFindV2(table_handle=table, keys=some(key, 0), default_value=some(value)), {}


@scenario("MutableHashTableV2", "LookupTableInsertV2", "LookupTableFindV2", "LookupTableSizeV2", "LookupTableExportV2", "LookupTableRemoveV2",
          "LookupTableImportV2")
def mutable_tables():
    for key, value in ((tf.string, tf.int64), (tf.int64, tf.string), (tf.int64, tf.float32), (tf.string, tf.float32)):
        table = RAW.MutableHashTableV2(key_dtype=key, value_dtype=value, shared_name=f"mutable_{key.name}_{value.name}")
        yield RAW.LookupTableSizeV2(table_handle=table), {}
        yield RAW.LookupTableInsertV2(table_handle=table, keys=some(key, 1), values=some(value, 1)), {}
        yield RAW.LookupTableExportV2(table_handle=table, Tkeys=key, Tvalues=value), {}
        yield RAW.LookupTableInsertV2(table_handle=table, keys=some(key, 4), values=some(value, 4)), {}
        yield RAW.LookupTableSizeV2(table_handle=table), {}
        yield RAW.LookupTableFindV2(table_handle=table, keys=some(key, 2, 3), default_value=some(value)), {}


@scenario("InitializeTableFromTextFileV2")
def tables_of_files():
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write("apple\t3\npear\t5\nplum\t9\n")
    for key_index, value_index, key, value in ((-2, -1, tf.string, tf.int64), (-1, -2, tf.int64, tf.string), (0, 1, tf.string, tf.int64)):
        table = RAW.HashTableV2(key_dtype=key, value_dtype=value, shared_name=f"file_{key_index}_{value_index}")
        yield RAW.InitializeTableFromTextFileV2(table_handle=table, filename=file.name, key_index=key_index, value_index=value_index), {}
        yield RAW.LookupTableSizeV2(table_handle=table), {}
        keys = np.array([b"apple", b"plum", b"none"], object) if key == tf.string else np.array([0, 2, 7])
        yield RAW.LookupTableFindV2(table_handle=table, keys=keys, default_value=some(value)), {}


@scenario("ConditionalAccumulator", "AccumulatorApplyGradient", "AccumulatorTakeGradient", "AccumulatorNumAccumulated", "AccumulatorSetGlobalStep")
def accumulators():
    for dtype in (tf.float32, tf.float64):
        for reduction in ("MEAN", "SUM"):
            gradients = tf.ConditionalAccumulator(dtype, [2], reduction_type=reduction, shared_name=f"{dtype.name}{reduction}")
            yield gradients.num_accumulated(), {}
            for step in (0, 0, 1):
                yield gradients.apply_grad(tf.constant([1, 2 + step], dtype), step), {}
            yield gradients.num_accumulated(), {}
            yield gradients.take_grad(2), {}
            yield gradients.set_global_step(5), {}
            yield gradients.apply_grad(tf.constant([1, 2], dtype), 3), {}
            yield gradients.num_accumulated(), {}
            yield gradients.apply_grad(tf.constant([1, 2, 3], dtype)[: tf.placeholder_with_default(3, [])], 9), {}


@scenario("SparseConditionalAccumulator", "SparseAccumulatorApplyGradient", "SparseAccumulatorTakeGradient")
def sparse_accumulators():
    for reduction in ("MEAN", "SUM"):
        gradients = tf.SparseConditionalAccumulator(tf.float32, [4, 2], reduction_type=reduction, shared_name=reduction)
        yield gradients.apply_grad([0, 2], tf.constant([[1.0, 2], [3, 4]]), [4, 2], 0), {}
        yield gradients.apply_grad([2, 3], tf.constant([[1.0, 2], [3, 4]]), [4, 2], 0), {}
        yield gradients.num_accumulated(), {}
        yield gradients.take_grad(2), {}


@scenario("ResourceConditionalAccumulator", "ResourceAccumulatorApplyGradient", "ResourceAccumulatorTakeGradient", "ResourceAccumulatorNumAccumulated",
          "ResourceAccumulatorSetGlobalStep")
def resource_accumulators():
    handle = RAW.ResourceConditionalAccumulator(dtype=tf.float32, shape=[2], shared_name="resource")
    yield RAW.ResourceAccumulatorNumAccumulated(handle=handle), {}
    for step in (0, 0, 1):
        yield RAW.ResourceAccumulatorApplyGradient(handle=handle, local_step=np.int64(step), gradient=tf.constant([1.0, 2])), {}
    yield RAW.ResourceAccumulatorTakeGradient(handle=handle, num_required=2, dtype=tf.float32), {}
    yield RAW.ResourceAccumulatorSetGlobalStep(handle=handle, new_global_step=np.int64(4)), {}
    yield RAW.ResourceAccumulatorNumAccumulated(handle=handle), {}


def written(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


@scenario("ReadFile", "WriteFile", "MatchingFiles")
def files():
    folder = tempfile.mkdtemp(prefix="conformance-")
    for name in ("b.txt", "a.txt", "c.bin"):
        written(folder, name, b"content of " + name.encode())
    yield RAW.ReadFile(filename=os.path.join(folder, "a.txt")), {}
    yield RAW.ReadFile(filename=os.path.join(folder, "none")), {}
    yield RAW.MatchingFiles(pattern=os.path.join(folder, "*.txt")), {}
    yield RAW.MatchingFiles(pattern=[os.path.join(folder, "?.bin"), os.path.join(folder, "a*")]), {}
    yield RAW.WriteFile(filename=os.path.join(folder, "new", "file"), contents=b"new \0 content"), {}
    yield RAW.ReadFile(filename=os.path.join(folder, "new", "file")), {}


def files_to_read():
    """Lines, and records."""
    folder = tempfile.mkdtemp(prefix="conformance-")
    records = os.path.join(folder, "records")
    with tf.io.TFRecordWriter(records) as writer:
        for record in (b"first", b"", b"third"):
            writer.write(record)
    return written(folder, "text", b"head\none\ntwo\r\n\nlast"), records


@scenario("TextLineReaderV2", "WholeFileReaderV2", "TFRecordReaderV2", "FixedLengthRecordReaderV2", "IdentityReaderV2", "ReaderReadV2", "ReaderReadUpToV2",
          "ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompletedV2", "ReaderResetV2")
def readers():
    text, records = files_to_read()
    for number, (reader, path) in enumerate(((tf.TextLineReader(1), text), (tf.WholeFileReader(), text), (tf.TFRecordReader(), records),
                                             (tf.FixedLengthRecordReader(4, 1, 2), text))):
        queue = tf.FIFOQueue(5, [tf.string], [[]], shared_name=f"names{number}")
        yield queue.enqueue([path]), {}
        yield queue.close(), {}
        for _ in range(4):
            _, value = reader.read(queue)
            yield value, {}


def dataset_steps(dataset, count):
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    for _ in range(count):
        yield element, {}


@scenario("TensorSliceDataset", "TensorDataset", "RangeDataset", "BatchDatasetV2", "RepeatDataset", "TakeDataset", "SkipDataset", "ConcatenateDataset", "ZipDataset",
          "OneShotIterator", "IteratorGetNext", "PrefetchDataset", "CacheDataset", "ShardDataset", "WindowDataset")
def datasets():
    data = tf.data.Dataset
    yield from dataset_steps(data.from_tensor_slices(some(tf.float32, 3, 2)), 4)
    yield from dataset_steps(data.from_tensors((some(tf.int32, 2), some(tf.string, 2))).repeat(2), 3)
    yield from dataset_steps(data.range(2, 20, 3).batch(4), 3)
    yield from dataset_steps(data.range(7).batch(3, drop_remainder=True), 3)
    yield from dataset_steps(data.range(9).skip(2).take(3), 4)
    yield from dataset_steps(data.range(2).concatenate(data.range(7, 9)), 5)
    yield from dataset_steps(data.zip((data.range(3), data.range(5, 9))), 4)
    yield from dataset_steps(data.range(3).cache().prefetch(2), 4)
    yield from dataset_steps(data.range(7).shard(3, 1), 3)


@scenario("MapDataset", "FilterDataset", "FlatMapDataset", "InterleaveDataset", "ParallelMapDatasetV2", "ShuffleDataset", "PaddedBatchDatasetV2", "GeneratorDataset")
def mapped_datasets():
    data = tf.data.Dataset
    yield from dataset_steps(data.range(3).map(lambda x: x * 2), 4)
    yield from dataset_steps(data.range(4).map(lambda x: x * 2, num_parallel_calls=2), 5)
    yield from dataset_steps(data.range(6).filter(lambda x: x % 3 > 0), 5)
    yield from dataset_steps(data.range(3).flat_map(lambda x: data.range(x)), 4)
    yield from dataset_steps(data.range(3).interleave(lambda x: data.range(x, x + 2), cycle_length=2), 7)
    yield from dataset_steps(data.range(10).shuffle(5, seed=3, reshuffle_each_iteration=False), 11)
    yield from dataset_steps(data.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(3, [None]), 2)


@scenario("ScanDataset", "GroupByWindowDataset", "UniqueDataset", "MapAndBatchDataset")
def gathered_datasets():
    data = tf.data.Dataset
    experimental = tf.data.experimental
    yield from dataset_steps(data.range(4).scan(np.int64(1), lambda state, x: (state + x, state * x)), 5)
    yield from dataset_steps(data.range(7).group_by_window(lambda x: x % 3, lambda key, group: group.batch(2), window_size=2), 5)
    yield from dataset_steps(data.range(5).group_by_window(lambda x: x % 2, lambda key, group: group.batch(4),
                                                           window_size_func=lambda key: key + 1), 6)
    yield from dataset_steps(data.from_tensor_slices([3, 1, 3, 2]).unique(), 4)
    yield from dataset_steps(data.from_tensor_slices(["a", "b", "a"]).unique(), 3)
    yield from dataset_steps(data.range(7).apply(experimental.map_and_batch(lambda x: x * 2, 3)), 4)
    yield from dataset_steps(data.range(7).apply(experimental.map_and_batch(lambda x: x * 2, 3, drop_remainder=True)), 3)


@scenario("ReduceDataset", "DatasetToSingleElement")
def values_of_datasets():
    data = tf.data.Dataset
    yield data.range(5).reduce(np.int64(3), lambda total, x: total * 2 + x), {}
    yield data.range(0).reduce((np.int64(3), 1.0), lambda state, x: (state[0] + x, state[1] * 2)), {}
    yield data.range(3, 4).get_single_element(), {}
    yield data.range(0).get_single_element(), {}
    yield data.range(2).get_single_element(), {}


@scenario("IteratorV2", "MakeIterator", "IteratorGetNext", "IteratorToStringHandle", "IteratorFromStringHandleV2")
def iterators():
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(3), shared_name="iterator")
    yield iterator.get_next(), {}
    yield iterator.initializer, {}
    for _ in range(4):
        yield iterator.get_next(), {}
    yield iterator.initializer, {}
    yield iterator.get_next(), {}


@scenario("TextLineDataset", "TFRecordDataset", "FixedLengthRecordDatasetV2")
def file_datasets():
    folder = tempfile.mkdtemp(prefix="conformance-")
    text = written(folder, "text", b"head\none\ntwo\r\n\nlast")
    records = os.path.join(folder, "records")
    with tf.io.TFRecordWriter(records) as writer:
        for record in (b"first", b"", b"third"):
            writer.write(record)
    yield from dataset_steps(tf.data.TextLineDataset([text, text]), 6)
    yield from dataset_steps(tf.data.TFRecordDataset(records), 4)
    yield from dataset_steps(tf.data.FixedLengthRecordDataset(text, 5, 1, 2), 4)


@scenario("ParseExampleV2", "ParseExample", "ParseSingleExample")
def examples():
    def example(**features):
        made = {name: tf.train.Feature(float_list=tf.train.FloatList(value=value)) if isinstance(value[0], float) else
                tf.train.Feature(bytes_list=tf.train.BytesList(value=value)) if isinstance(value[0], bytes) else
                tf.train.Feature(int64_list=tf.train.Int64List(value=value)) for name, value in features.items()}
        return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()

    serialized = [example(a=[1.5, 2.5], b=[b"x"], c=[3]), example(a=[4.0, 5.0], b=[b"y", b"z"], c=[6])]
    dense = {"a": tf.FixedLenFeature([2], tf.float32), "c": tf.FixedLenFeature([], tf.int64)}
    yield tf.parse_example(serialized, dense), {}
    yield tf.parse_example(serialized, {"b": tf.VarLenFeature(tf.string)}), {}
    yield tf.parse_example(serialized, {"d": tf.FixedLenFeature([], tf.float32, default_value=7.0)}), {}
    yield tf.parse_example(serialized, {"d": tf.FixedLenFeature([], tf.float32)}), {}
    yield tf.parse_example([b"nonsense"], dense), {}
