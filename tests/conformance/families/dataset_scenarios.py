"""Programs with the further datasets, and with elements that may be missing."""

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
