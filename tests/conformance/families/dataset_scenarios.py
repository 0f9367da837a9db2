"""Programs with the further datasets, and with elements that may be missing."""

import os
import tempfile

import numpy as np
from tensorflow.python.data.ops import dataset_ops
from tensorflow_client import tf

from families import scenario
from families.scenarios import RAW, dataset_steps, some

SHAPES = ((2, 3), (2,), (), (0, 2))


@scenario("TakeWhileDataset", "UnbatchDataset")
def datasets_that_end():
    data = tf.data.Dataset
    yield from dataset_steps(data.range(9).take_while(lambda x: x < 2), 4)
    yield from dataset_steps(data.range(9).take_while(lambda x: x < 0), 2)
    for shape in SHAPES:
        matrices = data.from_tensor_slices(some(tf.float32, 3, *shape))
        yield from dataset_steps(matrices.take_while(lambda x: tf.reduce_sum(x) < 6), 4)
        if 0 not in shape:  # TensorFlow's process ends at an unbatch of elements of nothing
            yield from dataset_steps(matrices.batch(2).unbatch(), 4)
    yield from dataset_steps(data.from_tensors(some(tf.float32, 0, 2)).unbatch(), 2)


@scenario("IteratorGetNextSync")
def elements_asked_for_by_a_thread():
    for shape in SHAPES:
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensors(some(tf.float32, *shape)))
        element = RAW.IteratorGetNextSync(iterator=iterator._iterator_resource, output_types=[tf.float32], output_shapes=[shape])
        yield element, {}
        yield iterator.initializer, {}
        for _ in range(3):
            yield element, {}


@scenario("SerializeIterator", "DeserializeIterator")
def states_of_iterators():
    for shape in SHAPES:
        rows = tf.data.Dataset.from_tensor_slices(some(tf.float32, 5, *shape)).shuffle(3, seed=5).repeat(2)
        first, second = (tf.data.make_initializable_iterator(rows) for _ in range(2))
        given, restored = first.get_next(), second.get_next()
        state = RAW.SerializeIterator(resource_handle=first._iterator_resource, external_state_policy=2)
        restore = RAW.DeserializeIterator(resource_handle=second._iterator_resource, serialized=state)
        yield restore, {}
        yield first.initializer, {}
        yield restore, {}
        yield second.initializer, {}
        for count in (0, 2, 5, 4):
            for _ in range(count):
                yield given, {}
            yield restore, {}
            for _ in range(3):
                yield restored, {}


@scenario("OptionalFromValue", "OptionalNone", "OptionalHasValue", "OptionalGetValue")
def optionals():
    for shape in SHAPES:
        given = tf.placeholder(tf.float32, shape)
        feeds = {given: some(tf.float32, *shape)}
        optional = RAW.OptionalFromValue(components=[given])
        yield RAW.OptionalHasValue(optional=optional), feeds
        yield RAW.OptionalGetValue(optional=optional, output_types=[tf.float32], output_shapes=[shape]), feeds
        yield RAW.OptionalGetValue(optional=optional, output_types=[tf.int32], output_shapes=[shape]), feeds
        yield RAW.OptionalGetValue(optional=optional, output_types=[tf.float32], output_shapes=[[7]]), feeds
    nothing = RAW.OptionalNone()
    yield RAW.OptionalHasValue(optional=nothing), {}
    yield RAW.OptionalGetValue(optional=nothing, output_types=[tf.float32], output_shapes=[[]]), {}


def steps_of(variant, spec, count):
    """The dataset that a raw op has made, walked through twice. Without passes over datasets: TensorFlow's fail at some of these ops."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    iterator = tf.data.make_initializable_iterator(dataset_ops._VariantDataset(variant, spec).repeat(2).with_options(options))
    element = iterator.get_next()
    for _ in range(2):
        yield iterator.initializer, {}
        for _ in range(2 * count + 1):
            yield element, {}


@scenario("ShuffleDatasetV2", "ShuffleDatasetV3")
def shuffles_with_generators():
    for shape in SHAPES:
        matrices = tf.data.Dataset.from_tensor_slices(some(tf.float32, 4, *shape))
        made = {"input_dataset": matrices._variant_tensor, "output_types": [tf.float32], "output_shapes": [shape]}
        spec = tf.TensorSpec(shape, tf.float32)
        for reshuffles in (True, False):
            generator = RAW.AnonymousSeedGenerator(seed=3, seed2=4, reshuffle=reshuffles).handle
            yield from steps_of(RAW.ShuffleDatasetV2(buffer_size=3, seed_generator=generator, **made), spec, 4)
            yield from steps_of(RAW.ShuffleDatasetV3(buffer_size=3, seed=7, seed2=8, seed_generator=generator, **made), spec, 4)
            yield from steps_of(RAW.ShuffleDatasetV3(buffer_size=3, seed=7, seed2=8, seed_generator=RAW.DummySeedGenerator(),
                                                     reshuffle_each_iteration=reshuffles, **made), spec, 4)
        yield from steps_of(RAW.ShuffleDatasetV2(buffer_size=1, seed_generator=RAW.DummySeedGenerator(), **made), spec, 4)
    yield from steps_of(RAW.ShuffleDatasetV3(buffer_size=-2, seed=1, seed2=2, seed_generator=RAW.DummySeedGenerator(), **made), spec, 4)
    yield from steps_of(RAW.ShuffleDatasetV2(buffer_size=0, seed_generator=RAW.DummySeedGenerator(), **made), spec, 0)
    yield from steps_of(RAW.ShuffleDatasetV3(buffer_size=0, seed=1, seed2=2, seed_generator=RAW.DummySeedGenerator(), **made), spec, 0)


@scenario("CacheDatasetV2", "CacheDataset")
def caches():
    folder = tempfile.mkdtemp(prefix="conformance-")
    for number, shape in enumerate(SHAPES):
        pairs = tf.data.Dataset.from_tensor_slices((some(tf.float32, 3, *shape), some(tf.string, 3, *shape)))
        made = {"input_dataset": pairs._variant_tensor, "output_types": [tf.float32, tf.string], "output_shapes": [shape, shape]}
        spec = (tf.TensorSpec(shape, tf.float32), tf.TensorSpec(shape, tf.string))
        for filename in ("", os.path.join(folder, str(number))):
            yield from steps_of(RAW.CacheDataset(filename=filename, **made), spec, 3)
            yield from steps_of(RAW.CacheDatasetV2(filename=filename, cache=RAW.DummyMemoryCache(), **made), spec, 3)
    nowhere = os.path.join(folder, "none", "there")
    yield from steps_of(RAW.CacheDataset(filename=nowhere, **made), spec, 0)
    yield from steps_of(RAW.CacheDatasetV2(filename=nowhere, cache=RAW.DummyMemoryCache(), **made), spec, 0)
    os.mkdir(os.path.join(folder, "locked_0.lockfile"))  # a folder: TensorFlow removes a file when the iterator goes, before ours run
    yield from steps_of(RAW.CacheDataset(filename=os.path.join(folder, "locked"), **made), spec, 0)


@scenario("AnonymousMemoryCache", "CacheDatasetV2")
def caches_of_several_datasets():
    for shape in SHAPES:
        rows = tf.data.Dataset.from_tensor_slices(some(tf.float32, 3, *shape))
        cache = RAW.AnonymousMemoryCache().handle
        both = [dataset_ops._VariantDataset(RAW.CacheDatasetV2(input_dataset=dataset._variant_tensor, filename="", cache=cache,
                                                               output_types=[tf.float32], output_shapes=[shape]), tf.TensorSpec(shape, tf.float32))
                for dataset in (rows, rows.take(2))]
        yield from steps_of(both[0].concatenate(both[1])._variant_tensor, tf.TensorSpec(shape, tf.float32), 6)


@scenario("DirectedInterleaveDataset", "RandomDataset")
def datasets_in_turns():
    data = tf.data.Dataset
    for shape in SHAPES:
        made = {"output_types": [tf.float32], "output_shapes": [shape]}
        rows = [data.from_tensor_slices(some(tf.float32, count, *shape))._variant_tensor for count in (3, 1, 2)]
        spec = tf.TensorSpec(shape, tf.float32)
        for turns in ([0, 1, 2, 1, 2, 1, 0, 2, 2, 0, 0, 0], [1], [], [0, 3], [2, -1]):
            selector = data.from_tensor_slices(np.array(turns, np.int64))._variant_tensor
            for stops in (True, False):
                chosen = RAW.DirectedInterleaveDataset(selector_input_dataset=selector, data_input_datasets=rows, stop_on_empty_dataset=stops, **made)
                yield from steps_of(chosen, spec, len(turns))
    numbers = RAW.RandomDataset(seed=3, seed2=4, output_types=[tf.int64], output_shapes=[[]])
    yield from dataset_steps(dataset_ops.DatasetV1Adapter(dataset_ops._VariantDataset(numbers, tf.TensorSpec([], tf.int64))).take(5), 6)


@scenario("TFRecordDatasetV2")
def records_from_offsets():
    folder = tempfile.mkdtemp(prefix="conformance-")
    for kind in ("", "GZIP"):
        path = os.path.join(folder, "records" + kind)
        with tf.python_io.TFRecordWriter(path, kind) as writer:
            for text in (b"a", b"bc", b"def"):
                writer.write(text)
        for names, offsets in ((path, 17), ([path], [0]), ([path, path], [17, 35]), ([path, path], [17]), ([path, path], np.zeros(0, np.int64)),
                               ([path, path], [5, 35]), ([path, path], [500, 35]), ([path, path], [-1, 35]), ([path], 17), (path, [17])):
            variant = RAW.TFRecordDatasetV2(filenames=names, compression_type=kind, buffer_size=0, byte_offsets=offsets)
            yield from steps_of(variant, tf.TensorSpec([], tf.string), 4)
