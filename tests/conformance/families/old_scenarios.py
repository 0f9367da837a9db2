"""Programs with the older forms of ops: handles that are references to strings, attributes that became inputs."""

import tempfile

import numpy as np
from families import scenario
from families.scenarios import RAW, files_to_read, some, written
from tensorflow_client import tf

OLD_QUEUE_OPS = ("QueueEnqueue", "QueueEnqueueMany", "QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo", "QueueClose", "QueueSize", "QueueIsClosed")


def old_queue_steps(queue, element, many, dtypes):
    yield RAW.QueueEnqueue(handle=queue, components=element), {}
    yield RAW.QueueEnqueueMany(handle=queue, components=many), {}
    yield RAW.QueueSize(handle=queue), {}
    yield RAW.QueueDequeue(handle=queue, component_types=dtypes), {}
    yield RAW.QueueDequeueMany(handle=queue, n=2, component_types=dtypes), {}
    yield RAW.QueueDequeueMany(handle=queue, n=0, component_types=dtypes), {}
    yield RAW.QueueIsClosed(handle=queue), {}
    yield RAW.QueueClose(handle=queue), {}
    yield RAW.QueueIsClosed(handle=queue), {}
    yield RAW.QueueEnqueue(handle=queue, components=element), {}
    yield RAW.QueueDequeueUpTo(handle=queue, n=5, component_types=dtypes), {}
    yield RAW.QueueDequeue(handle=queue, component_types=dtypes), {}


@scenario("FIFOQueue", *OLD_QUEUE_OPS)
def old_fifo():
    for shape in ((2,), (2, 3)):
        queue = RAW.FIFOQueue(component_types=[tf.float32, tf.int32], shapes=[shape, []], capacity=10, shared_name=f"old{len(shape)}")
        many = [some(tf.float32, 4, *shape), np.arange(4, dtype=np.int32)]
        yield from old_queue_steps(queue, [some(tf.float32, *shape), 7], many, [tf.float32, tf.int32])


@scenario("PaddingFIFOQueue")
def old_padding():
    queue = RAW.PaddingFIFOQueue(component_types=[tf.float32], shapes=[[-1, 2]], capacity=10, shared_name="old_padding")
    yield from old_queue_steps(queue, [some(tf.float32, 3, 2)], [some(tf.float32, 4, 1, 2)], [tf.float32])


@scenario("PriorityQueue")
def old_priority():
    queue = RAW.PriorityQueue(component_types=[tf.float32], shapes=[[2, 2]], capacity=10, shared_name="old_priority")
    keys = np.array([4, 2, 9, 1], np.int64)
    yield from old_queue_steps(queue, [np.int64(3), some(tf.float32, 2, 2)], [keys, some(tf.float32, 4, 2, 2)], [tf.int64, tf.float32])


@scenario("RandomShuffleQueue")
def old_shuffling():
    queue = RAW.RandomShuffleQueue(component_types=[tf.int32], shapes=[[2, 2]], capacity=20, min_after_dequeue=0, seed=3, seed2=4, shared_name="old_shuffled")
    yield from old_queue_steps(queue, [some(tf.int32, 2, 2)], [some(tf.int32, 4, 2, 2)], [tf.int32])


@scenario("Variable")
def old_variables():
    for shape in ((2, 3), (2,), (0, 2)):
        variable = RAW.Variable(shape=shape, dtype=tf.float32)
        given = tf.placeholder(tf.float32)
        if 0 not in shape:
            yield tf.identity(variable), {}
        yield tf.assign(variable, given), {given: some(tf.float32, *shape)}
        yield tf.identity(variable) * 2, {}
        yield tf.assign_add(variable, given), {given: some(tf.float32, *shape)}
        yield tf.assign(variable, given), {given: some(tf.float32, 4, 1)}


@scenario("HashTable", "InitializeTableFromTextFile", "LookupTableFind", "LookupTableSize")
def old_tables():
    path = written(tempfile.mkdtemp(prefix="conformance-"), "table", b"apple\t3\npear\t5\n")
    table = RAW.HashTable(key_dtype=tf.string, value_dtype=tf.int64, shared_name="old_table")
    keys = tf.placeholder(tf.string)
    found = RAW.LookupTableFind(table_handle=table, keys=keys, default_value=np.int64(-1))
    fruit = np.array([[b"pear", b"plum"], [b"apple", b""]], object)
    yield found, {keys: fruit}
    yield RAW.InitializeTableFromTextFile(table_handle=table, filename=path, key_index=0, value_index=1), {}
    yield RAW.LookupTableSize(table_handle=table), {}
    for some_keys in (fruit, fruit[:0], fruit[0]):
        yield found, {keys: some_keys}


@scenario("TextLineReader", "WholeFileReader", "TFRecordReader", "FixedLengthRecordReader", "ReaderRead")
def old_readers():
    text, records = files_to_read()
    readers = ((RAW.TextLineReader(skip_header_lines=1), text), (RAW.WholeFileReader(), text), (RAW.TFRecordReader(), records),
               (RAW.FixedLengthRecordReader(record_bytes=4, header_bytes=1, footer_bytes=2), text))
    for number, (reader, path) in enumerate(readers):
        queue = RAW.FIFOQueue(component_types=[tf.string], shapes=[[]], capacity=5, shared_name=f"old_names{number}")
        yield RAW.QueueEnqueue(handle=queue, components=[path]), {}
        yield RAW.QueueClose(handle=queue), {}
        for _ in range(4):
            yield RAW.ReaderRead(reader_handle=reader, queue_handle=queue).value, {}


@scenario("StringFormat")
def formatted():
    for dtype in (tf.float32, tf.int32, tf.string, tf.bool):
        for shape in ((2, 3), (), (0,), (9,)):
            yield RAW.StringFormat(inputs=[tf.constant(some(dtype, *shape), dtype)], template="a {} b", placeholder="{}"), {}
    yield RAW.StringFormat(inputs=[tf.placeholder(tf.float32, [2], name="never_fed")], template="{}", placeholder="{}"), {}
