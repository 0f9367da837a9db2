"""The programs of scenarios.py with values of several dimensions and of none, and what is an error there."""

import os
import tempfile

import numpy as np
from families import scenario
from families.scenarios import QUEUE_OPS, RAW, dataset_steps, queue_steps, some, written
from tensorflow.python.ops import cond_v2, list_ops, while_v2
from tensorflow_client import tf

SHAPES = ((2, 3), (0, 3))


def fed():
    """A placeholder of any matrix, and what to feed it; the last one does not fit where six or no elements are wanted."""
    x = tf.placeholder(tf.float32, [None, 3])
    return x, [{x: some(tf.float32, *shape)} for shape in (*SHAPES, (4, 3))]


def of_six(x):
    """An error of other shapes than two by three or none by three."""
    return tf.reshape(x, [tf.minimum(tf.shape(x)[0], 2), 3])


@scenario("VarHandleOp", "ReadVariableOp", "AssignVariableOp", "VariableV2", "RefIdentity", "Assign")
def variables_of_nothing():
    for shape in SHAPES:
        variable = RAW.VariableV2(shape=shape, dtype=tf.float32)
        yield tf.identity(RAW.RefIdentity(input=variable)), {}
        yield tf.assign(variable, some(tf.float32, *shape)), {}
        yield tf.identity(RAW.RefIdentity(input=variable)), {}
        handle = RAW.VarHandleOp(dtype=tf.float32, shape=shape, shared_name=f"of_{shape[0]}")
        yield RAW.AssignVariableOp(resource=handle, value=tf.constant(some(tf.float32, *shape))), {}
        yield RAW.ReadVariableOp(resource=handle, dtype=tf.float32), {}


@scenario("RefSwitch", "RefMerge", "RefEnter", "RefExit", "RefNextIteration", "RefSelect")
def reference_flow_of_matrices():
    for shape in SHAPES:
        variable, other = (RAW.VariableV2(shape=shape, dtype=tf.float32) for _ in range(2))
        pred, index = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
        false, true = RAW.RefSwitch(data=variable, pred=pred)
        yield RAW.RefMerge(inputs=[false, true]).value_index, {pred: True}  # not initialized
        yield [tf.assign(variable, some(tf.float32, *shape)), tf.assign(other, -some(tf.float32, *shape))], {}
        for value in (True, False):
            yield RAW.Merge(inputs=[tf.identity(false), tf.identity(true)]).output, {pred: value}
        for value in (1, 2):
            yield tf.identity(RAW.RefSelect(index=index, inputs=[variable, other])), {index: value}
        entered = RAW.RefEnter(data=variable, frame_name=f"frame{shape[0]}", is_constant=True)
        yield tf.identity(RAW.RefExit(data=entered)), {}


@scenario("FIFOQueueV2", *QUEUE_OPS)
def fifo_of_matrices():
    queue = tf.FIFOQueue(10, [tf.float32], [[2, 3]], shared_name="matrices")
    yield from queue_steps(queue, [some(tf.float32, 2, 3)], [some(tf.float32, 4, 2, 3)])
    queue = tf.FIFOQueue(10, [tf.float32], [[0, 3]], shared_name="nothing")
    for _ in range(2):  # many of nothing end TensorFlow's process
        yield queue.enqueue([some(tf.float32, 0, 3)]), {}
    yield queue.dequeue_many(2), {}


@scenario("PaddingFIFOQueueV2")
def padding_of_matrices():
    value = tf.placeholder(tf.float32)
    queue = tf.PaddingFIFOQueue(10, [tf.float32], [[None, 2]])
    enqueued = queue.enqueue([value])
    for rows in (1, 0, 3):
        yield enqueued, {value: some(tf.float32, rows, 2)}
    yield enqueued, {value: some(tf.float32, 2, 3)}
    yield queue.dequeue(), {}
    yield queue.dequeue_many(2), {}
    yield queue.dequeue_many(0), {}


@scenario("PriorityQueueV2")
def priority_of_matrices():
    queue = tf.PriorityQueue(10, [tf.float32], [[2, 2]], shared_name="matrices")
    yield queue.enqueue_many([np.array([4, 2, 9], np.int64), some(tf.float32, 3, 2, 2)]), {}
    yield queue.dequeue(), {}
    yield queue.dequeue_many(2), {}
    yield queue.dequeue_many(0), {}


@scenario("RandomShuffleQueueV2")
def shuffled_matrices():
    queue = tf.RandomShuffleQueue(20, 0, [tf.int32], [[2, 2]], seed=3, shared_name="matrices")
    yield queue.enqueue_many([some(tf.int32, 5, 2, 2)]), {}
    yield queue.dequeue_many(3), {}
    yield queue.dequeue_many(0), {}


@scenario("TensorArrayV3", "TensorArrayWriteV3", "TensorArrayReadV3", "TensorArrayGatherV3", "TensorArrayScatterV3")
def tensor_arrays_of_matrices():
    for shape in SHAPES:
        array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(some(tf.float32, 3, *shape))
        yield array.read(2), {}
        yield array.stack(), {}
        yield array.gather([2, 0]), {}
        yield array.gather([]), {}
        yield array.concat(), {}
        yield tf.TensorArray(tf.float32, 2).write(0, some(tf.float32, *shape)).write(1, some(tf.float32, *shape)).stack(), {}
    yield tf.TensorArray(tf.float32, 2, infer_shape=False).split(some(tf.float32, 3, 2), [3, 0]).read(1), {}


@scenario("TensorArrayGradV3")
def gradients_of_arrays_of_matrices():
    x = tf.placeholder(tf.float32, [None, 2, 3])
    array = tf.TensorArray(tf.float32, tf.shape(x)[0], clear_after_read=False, element_shape=[2, 3]).unstack(x)
    gradient = tf.gradients(array.stack() ** 2, x)[0]
    for count in (3, 0):
        yield gradient, {x: some(tf.float32, count, 2, 3)}
    yield tf.gradients(array.read(5), x)[0], {x: some(tf.float32, 3, 2, 3)}


@scenario("StackV2", "StackPushV2", "StackPopV2")
def stacks_of_matrices():
    for shape in SHAPES:
        stack = RAW.StackV2(max_size=-1, elem_type=tf.float32, stack_name="matrices")
        pushed = RAW.StackPushV2(handle=stack, elem=tf.constant(some(tf.float32, *shape)))
        with tf.control_dependencies([pushed]):
            yield RAW.StackPopV2(handle=stack, elem_type=tf.float32), {}


@scenario("TensorListReserve", "TensorListSetItem", "TensorListGetItem", "TensorListStack", "TensorListFromTensor", "TensorListLength", "TensorListPushBack",
          "TensorListPopBack", "EmptyTensorList", "TensorListElementShape", "TensorListConcatV2", "TensorListGather", "TensorListScatterV2", "TensorListResize")
def tensor_lists_of_matrices():
    for shape in SHAPES:
        full = list_ops.tensor_list_from_tensor(tf.constant(some(tf.float32, 2, *shape)), shape)
        yield list_ops.tensor_list_stack(full, tf.float32), {}
        yield list_ops.tensor_list_get_item(full, 1, tf.float32), {}
        yield list_ops.tensor_list_pop_back(full, tf.float32)[1], {}
        yield RAW.TensorListElementShape(input_handle=full, shape_type=tf.int32), {}
        pushed = list_ops.tensor_list_push_back(list_ops.empty_tensor_list(shape, tf.float32), tf.constant(some(tf.float32, *shape)))
        yield [list_ops.tensor_list_stack(pushed, tf.float32), list_ops.tensor_list_length(pushed)], {}
        reserved = list_ops.tensor_list_set_item(list_ops.tensor_list_reserve(shape, 2, tf.float32), 1, tf.constant(some(tf.float32, *shape)))
        yield list_ops.tensor_list_stack(reserved, tf.float32), {}
        yield RAW.TensorListConcatV2(input_handle=full, element_shape=list(shape), leading_dims=np.array([], np.int64), element_dtype=tf.float32), {}
        for indices in ([1, 0], []):
            yield RAW.TensorListGather(input_handle=full, indices=np.array(indices, np.int32), element_shape=list(shape), element_dtype=tf.float32), {}
        scattered = RAW.TensorListScatterV2(tensor=some(tf.float32, 2, *shape), indices=[1, 0], element_shape=list(shape), num_elements=-1)
        yield list_ops.tensor_list_stack(scattered, tf.float32), {}
        yield list_ops.tensor_list_length(RAW.TensorListResize(input_handle=full, size=5)), {}
        yield list_ops.tensor_list_length(RAW.TensorListResize(input_handle=full, size=-1)), {}


@scenario("Switch", "Merge")
def branches_of_matrices():
    x, feeds = fed()
    pred = tf.placeholder(tf.bool, [])
    false, true = RAW.Switch(data=x, pred=pred)
    y = RAW.Merge(inputs=[of_six(false), tf.transpose(true)]).output
    for feed in feeds:
        for value in (True, False):
            yield y, {**feed, pred: value}


@scenario("Enter", "Exit", "NextIteration", "LoopCond", "Switch", "Merge")
def loops_of_matrices():
    x, feeds = fed()
    y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, of_six(v) * 1.5 + x), [0, x], shape_invariants=[tf.TensorShape([]), x.shape])[1]
    for feed in feeds:
        yield y, feed


@scenario("If", "StatelessIf")
def functional_branches_of_matrices():
    x, feeds = fed()
    pred = tf.placeholder(tf.bool, [])
    y = cond_v2.cond_v2(pred, lambda: of_six(x), lambda: x - 1, name="branch")
    for feed in feeds:
        for value in (True, False):
            yield y, {**feed, pred: value}


@scenario("While", "StatelessWhile")
def functional_loops_of_matrices():
    x, feeds = fed()
    shapes = [tf.TensorShape([]), x.shape]
    y = while_v2.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, of_six(v) * 1.5), [0, x], shape_invariants=shapes)[1]
    for feed in feeds:
        yield y, feed


@scenario("Case")
def functional_cases_of_matrices():
    x, feeds = fed()
    index = tf.placeholder(tf.int32, [])
    y = cond_v2.indexed_case(index, [lambda: of_six(x), lambda: x + 1], name="case")
    for feed in feeds:
        for value in (0, 1, 7):
            yield y, {**feed, index: value}


@scenario("PartitionedCall", "StatefulPartitionedCall")
def calls_with_matrices():
    from tensorflow.python.framework import function

    @function.Defun(tf.float32, func_name="OfSixConformance")
    def body(a):
        return tf.reshape(a, [tf.minimum(tf.shape(a)[0], 2), 3]) * 2

    x, feeds = fed()
    body.add_to_graph(tf.get_default_graph())
    for op in (RAW.PartitionedCall, RAW.StatefulPartitionedCall):
        y = op(args=[x], Tout=[tf.float32], f=body)
        for feed in feeds:
            yield y, feed


@scenario("SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename")
def checkpoints_of_nothing():
    folder = tempfile.mkdtemp(prefix="conformance-")
    where = os.path.join(folder, "model")
    part = RAW.ShardedFilename(basename=where, shard=0, num_shards=1)
    yield part, {}
    yield RAW.SaveV2(prefix=part, tensor_names=["a"], shape_and_slices=[""], tensors=[some(tf.float32, 0, 3)]), {}
    yield RAW.MergeV2Checkpoints(checkpoint_prefixes=[part], destination_prefix=where, delete_old_dirs=False), {}
    yield RAW.RestoreV2(prefix=where, tensor_names=["a"], shape_and_slices=[""], dtypes=[tf.float32]), {}
    yield RAW.RestoreV2(prefix=where, tensor_names=["a"], shape_and_slices=[""], dtypes=[tf.int32]), {}


@scenario("MutableHashTableV2", "LookupTableInsertV2", "LookupTableRemoveV2", "LookupTableImportV2", "LookupTableExportV2", "LookupTableFindV2", "LookupTableSizeV2")
def mutable_tables_of_nothing():
    for key, value in ((tf.string, tf.int64), (tf.int64, tf.float32)):
        table = RAW.MutableHashTableV2(key_dtype=key, value_dtype=value, shared_name=f"nothing_{key.name}_{value.name}")
        keys, values = tf.placeholder(key), tf.placeholder(value)
        inserted = RAW.LookupTableInsertV2(table_handle=table, keys=keys, values=values)
        imported = RAW.LookupTableImportV2(table_handle=table, keys=keys, values=values)
        removed = RAW.LookupTableRemoveV2(table_handle=table, keys=keys)
        size = RAW.LookupTableSizeV2(table_handle=table)
        for step, uses_values in ((inserted, True), (imported, True), (removed, False)):
            for shape in ((2, 3), (0,), (4,)):
                yield step, {keys: some(key, *shape), **({values: some(value, *shape)} if uses_values else {})}
                yield size, {}
            if uses_values:
                yield step, {keys: some(key, 3), values: some(value, 2)}


@scenario("InitializeTableFromTextFileV2")
def tables_of_files_that_do_not_fit():
    folder = tempfile.mkdtemp(prefix="conformance-")
    for number, content in enumerate((b"apple\tthree\n", b"apple\n", b"a\t1\na\t2\n")):
        table = RAW.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name=f"unfit{number}")
        path = written(folder, f"table{number}", content)
        yield RAW.InitializeTableFromTextFileV2(table_handle=table, filename=path, key_index=0, value_index=1, vocab_size=-1), {}
    table = RAW.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="no_file")
    path = os.path.join(folder, "none")
    yield RAW.InitializeTableFromTextFileV2(table_handle=table, filename=path, key_index=-2, value_index=-1), {}


@scenario("ConditionalAccumulator", "AccumulatorApplyGradient", "AccumulatorTakeGradient", "AccumulatorNumAccumulated", "AccumulatorSetGlobalStep")
def accumulators_of_matrices():
    for shape in SHAPES:
        gradients = tf.ConditionalAccumulator(tf.float32, shape, shared_name=f"of_{shape[0]}")
        for _ in range(2):
            yield gradients.apply_grad(tf.constant(some(tf.float32, *shape)), 0), {}
        yield gradients.num_accumulated(), {}
        yield gradients.take_grad(2), {}


@scenario("ResourceConditionalAccumulator", "ResourceAccumulatorApplyGradient", "ResourceAccumulatorTakeGradient", "ResourceAccumulatorNumAccumulated",
          "ResourceAccumulatorSetGlobalStep")
def resource_accumulators_of_matrices():
    for shape in SHAPES:
        handle = RAW.ResourceConditionalAccumulator(dtype=tf.float32, shape=shape, shared_name=f"resource_of_{shape[0]}")
        gradient = tf.placeholder(tf.float32)
        apply = RAW.ResourceAccumulatorApplyGradient(handle=handle, local_step=np.int64(0), gradient=gradient)
        for _ in range(2):
            yield apply, {gradient: some(tf.float32, *shape)}
        yield RAW.ResourceAccumulatorNumAccumulated(handle=handle), {}
        yield apply, {gradient: some(tf.float32, 5)}
        yield RAW.ResourceAccumulatorTakeGradient(handle=handle, num_required=2, dtype=tf.float32), {}
        yield RAW.ResourceAccumulatorSetGlobalStep(handle=handle, new_global_step=np.int64(4)), {}
        yield RAW.ResourceAccumulatorSetGlobalStep(handle=handle, new_global_step=np.int64(2)), {}


@scenario("SparseConditionalAccumulator", "SparseAccumulatorApplyGradient", "SparseAccumulatorTakeGradient")
def sparse_accumulators_of_nothing():
    gradients = tf.SparseConditionalAccumulator(tf.float32, [4, 2], shared_name="nothing")
    yield gradients.apply_grad(np.array([], np.int64), tf.constant(some(tf.float32, 0, 2)), [4, 2], 0), {}
    yield gradients.apply_grad([1, 3], tf.constant(some(tf.float32, 2, 2)), [4, 2], 0), {}
    yield gradients.apply_grad([1], tf.constant(some(tf.float32, 1, 3)), None, 0), {}
    yield gradients.take_grad(2), {}


@scenario("ScanDataset", "GroupByWindowDataset", "UniqueDataset", "MapAndBatchDataset", "ReduceDataset", "DatasetToSingleElement")
def gathered_datasets_of_matrices():
    data = tf.data.Dataset
    for shape in SHAPES:
        matrices = data.from_tensor_slices(some(tf.float32, 3, *shape))
        zeros = np.zeros(shape, np.float32)
        yield from dataset_steps(matrices.scan(zeros, lambda state, x: (x, state)), 4)
        yield from dataset_steps(matrices.group_by_window(lambda x: tf.constant(1, tf.int64), lambda key, group: group.batch(2), window_size=2), 3)
        yield from dataset_steps(matrices.apply(tf.data.experimental.map_and_batch(lambda x: (x, x), 2)), 3)
        yield from dataset_steps(data.from_tensor_slices(some(tf.int32, 3, *shape)).concatenate(data.from_tensors(np.zeros(shape, np.int32))).unique(), 5)
        yield matrices.reduce(zeros, lambda total, x: total + x), {}
        yield data.from_tensors((zeros, 1)).get_single_element(), {}


@scenario("TensorSliceDataset", "TensorDataset", "BatchDatasetV2", "RepeatDataset", "TakeDataset", "SkipDataset", "ConcatenateDataset", "ZipDataset", "OneShotIterator",
          "IteratorGetNext", "PrefetchDataset", "CacheDataset", "ShardDataset", "WindowDataset")
def datasets_of_matrices():
    data = tf.data.Dataset
    for shape in SHAPES:
        matrices = data.from_tensor_slices(some(tf.float32, 3, *shape))
        one = data.from_tensors(some(tf.float32, *shape))
        yield from dataset_steps(matrices.batch(2), 3)
        yield from dataset_steps(one.repeat(2).concatenate(matrices.skip(1).take(1)), 4)
        yield from dataset_steps(data.zip((matrices, one)).cache().prefetch(1), 2)
        yield from dataset_steps(matrices.shard(2, 1), 2)
        yield from dataset_steps(matrices.window(2).flat_map(lambda window: window.batch(2)), 3)


@scenario("MapDataset", "FilterDataset", "FlatMapDataset", "InterleaveDataset", "ParallelMapDatasetV2", "ShuffleDataset", "PaddedBatchDatasetV2", "GeneratorDataset")
def mapped_datasets_of_matrices():
    data = tf.data.Dataset
    for shape in SHAPES:
        matrices = data.from_tensor_slices(some(tf.float32, 3, *shape))
        yield from dataset_steps(matrices.map(lambda x: x * 2), 4)
        yield from dataset_steps(matrices.map(lambda x: x * 2, num_parallel_calls=2), 4)
        yield from dataset_steps(matrices.filter(lambda x: tf.reduce_sum(x) < 9), 4)
        yield from dataset_steps(matrices.flat_map(lambda x: data.from_tensors(x).repeat(2)), 3)
        yield from dataset_steps(matrices.interleave(lambda x: data.from_tensors(x).repeat(2), cycle_length=2), 3)
        yield from dataset_steps(matrices.shuffle(3, seed=5, reshuffle_each_iteration=False), 4)
        yield from dataset_steps(matrices.padded_batch(2, [4, 4]), 2)


@scenario("IteratorV2", "MakeIterator", "IteratorGetNext", "IteratorToStringHandle", "IteratorFromStringHandleV2")
def iterators_of_matrices():
    for shape in SHAPES:
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensors(some(tf.float32, *shape)), shared_name=f"of_{shape[0]}")
        yield iterator.get_next(), {}
        yield iterator.initializer, {}
        by_handle = tf.data.Iterator.from_string_handle(iterator.string_handle(), tf.float32, shape)
        yield by_handle.get_next(), {}
        yield by_handle.get_next(), {}
