"""Arguments that are easily passed over: each does what TensorFlow does by it, or raises what TensorFlow raises."""

import glob
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def tried(what, function):
    try:
        value = function()
        print(what, getattr(value, "dtype", value) if isinstance(value, tf.Tensor) else value)
    except (TypeError, ValueError, AttributeError) as error:
        print(what, type(error).__name__, str(error).split("\n")[0])


# ---- summaries

with tf.name_scope("a"):
    first = tf.summary.scalar("x", 1.0)
with tf.name_scope("b"):
    second = tf.summary.scalar("y", 2.0)
merged = tf.summary.merge([first, second], collections=["kept", "more"])
print(tf.get_collection("kept") == [merged], tf.get_collection("more") == [merged], len(tf.get_collection("summaries")))
with tf.Session() as session:
    for key, scope in (("summaries", "a"), ("summaries", "[ab]/"), ("summaries", None)):
        print(key, scope, [value.tag for value in tf.Summary.FromString(session.run(tf.summary.merge_all(key, scope=scope))).value])
print(tf.summary.merge_all(scope="c"))
folder = tempfile.mkdtemp()
graph = tf.get_default_graph()
nodes = [node.name for node in graph.as_graph_def().node]


def graphs_written(write):
    writer = write()
    writer.close()
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        for event in tf.train.summary_iterator(path):
            if event.HasField("graph_def"):
                found.append((event.step, [node.name for node in tf.GraphDef.FromString(event.graph_def).node] == nodes))
        os.remove(path)
    return found


def added(**options):
    writer = tf.summary.FileWriter(folder)
    writer.add_graph(**options)
    return writer


definition = graph.as_graph_def()
tried("graph_def", lambda: graphs_written(lambda: tf.summary.FileWriter(folder, graph_def=definition)))
tried("as the graph", lambda: graphs_written(lambda: tf.summary.FileWriter(folder, definition)))
tried("both", lambda: graphs_written(lambda: tf.summary.FileWriter(folder, graph, graph_def=definition)))
tried("added", lambda: graphs_written(lambda: added(graph=None, graph_def=definition, global_step=3)))
tried("both added", lambda: graphs_written(lambda: added(graph=graph, graph_def=definition)))

# ---- constants and initializers

constant, initial = tf.constant, tf.constant_initializer
tried("constant", lambda: constant([1, 2], shape=[3], verify_shape=True))
tried("constant", lambda: constant([1, 2], shape=[2], verify_shape=True))
tried("constant", lambda: constant(1, shape=[2], verify_shape=True))
tried("constant", lambda: constant([1, 2, 3, 4], shape=[2, 2], verify_shape=True))
tried("constant", lambda: constant([[1, 2], [3, 4]], tf.float32, [2, 2], verify_shape=True))
tried("constant", lambda: constant(np.ones([2]), shape=(2, 1), verify_shape=True))
tried("constant", lambda: constant(1, verify_shape=True))
tried("initializer", lambda: initial(3, verify_shape=True)([2]))
tried("initializer", lambda: initial([3, 4], verify_shape=True)([2]))
tried("initializer", lambda: initial([3, 4], verify_shape=True)([3]))
tried("initializer", lambda: initial([3, 4])([3], verify_shape=True))
tried("initializer", lambda: initial([3, 4, 5, 6], verify_shape=True)([2, 2], verify_shape=False))
tried("variable", lambda: tf.get_variable("v1", [3], initializer=initial(1., verify_shape=True)))
tried("variable", lambda: tf.get_variable("v2", [2], initializer=initial([1., 2.], verify_shape=True)).shape)
for make in (tf.zeros_initializer, tf.ones_initializer, lambda dtype: initial(2, dtype=dtype),
             lambda dtype: tf.random_uniform_initializer(0, 5, dtype=dtype)):
    print(make(dtype=tf.int32)([2]).dtype, make(dtype=tf.float64)([2]).dtype, make(dtype=tf.float64)([2], tf.float32).dtype)
print(tf.random_normal_initializer(dtype=tf.float64)([2]).dtype)
proto = tf.make_tensor_proto
tried("proto", lambda: proto([1, 2], shape=[2, 2], allow_broadcast=True))
tried("proto", lambda: proto([1, 2, 3, 4], shape=[2, 1], allow_broadcast=True))
for values in (1, [1], [1, 2, 3, 4]):
    print(tf.make_ndarray(proto(values, shape=[2, 2], allow_broadcast=True)).tolist())

# ---- preferred dtypes

convert = tf.convert_to_tensor
for value, dtype in ((1, tf.float64), (1.5, tf.int32), ("a", tf.int32), ([1, 2.5], tf.int32), (np.array([1.5]), tf.float32),
                     (np.array([1]), tf.float32), (1, tf.bool)):
    print(value, convert(value, dtype_hint=dtype).dtype, convert(value, preferred_dtype=dtype).dtype)
print(convert(1, tf.int64, dtype_hint=tf.float32).dtype, convert(constant(1), dtype_hint=tf.float32).dtype)
tried("both hints", lambda: convert(1, preferred_dtype=tf.int64, dtype_hint=tf.float32))
tried("sum", lambda: tf.accumulate_n([tf.ones([2])], tensor_dtype=tf.int32))
tried("sum", lambda: tf.accumulate_n([tf.ones([2]), tf.ones([2])], tensor_dtype=tf.float32))

# ---- cells

cells = tf.nn.rnn_cell


def variables_of(make, dtype=tf.float32):
    tf.reset_default_graph()
    output, _ = tf.nn.dynamic_rnn(make(), tf.ones([2, 3, 4], dtype), dtype=dtype)
    trained = tf.trainable_variables()
    return output.dtype.name, [(variable.name, variable.dtype.base_dtype.name, variable in trained) for variable in tf.global_variables()]


class Own(cells.RNNCell):
    state_size = output_size = 3

    def call(self, inputs, state):
        return tf.matmul(inputs, tf.get_variable("w", [4, 3])), state


for kind in (cells.BasicRNNCell, cells.GRUCell, cells.BasicLSTMCell, cells.LSTMCell):
    tried("left alone", lambda: variables_of(lambda: kind(5, trainable=False)))
    tried("of the inputs", lambda: variables_of(lambda: kind(5), tf.float64))
    tried("of the cell", lambda: variables_of(lambda: kind(5, dtype=tf.float64), tf.float64))
    tried("of the cell", lambda: variables_of(lambda: kind(5, dtype=tf.float64), tf.float32))
    tried("of the cell", lambda: variables_of(lambda: kind(5, dtype=tf.float32), tf.float64))
    tried("unknown", lambda: kind(5, colour=3))
    print(kind(5, trainable=False).trainable, kind(5, dtype=tf.float64).dtype, kind(5).dtype)
tried("wrapped", lambda: cells.DropoutWrapper(cells.GRUCell(3), colour=3))
tried("wrapped", lambda: cells.ResidualWrapper(cells.GRUCell(3), colour=3))
tried("own", lambda: variables_of(lambda: Own(trainable=False)))
tried("own", lambda: Own(colour=3))
tried("several", lambda: variables_of(lambda: cells.MultiRNNCell([cells.GRUCell(3, trainable=False), cells.LSTMCell(3)])))
tried("several", lambda: variables_of(lambda: cells.MultiRNNCell([cells.GRUCell(3), cells.LSTMCell(3, num_proj=2)]), tf.float64))
tried("dropped", lambda: variables_of(lambda: cells.DropoutWrapper(cells.GRUCell(3, trainable=False))))

# ---- tables in several parts


def losses(parts, **options):
    tf.reset_default_graph()
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(parts)):
        weights = tf.get_variable("w", [10, 4], initializer=tf.random_uniform_initializer(-1, 1))
        biases = tf.get_variable("b", [10], initializer=tf.random_uniform_initializer(-1, 1))
    inputs = constant(np.linspace(-1, 1, 8).reshape(2, 4), tf.float32)
    labels = constant([[1], [7]], tf.int64)
    sampled = (constant([0, 3, 4, 9], tf.int64), constant([[.1], [.2]]), constant([.1, .2, .3, .4]))
    made = [loss(table, biases, labels, inputs, 4, 10, sampled_values=sampled, **options)
            for loss in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss) for table in (weights, list(weights))]
    gradients = tf.gradients(made, list(weights))
    with tf.Session() as session:
        first = 0
        for part, bias in zip(weights, biases):
            rows = part.shape[0].value
            numbers = np.arange(first, first + rows, dtype=np.float32)
            part.load(np.sin(numbers[:, None] + np.arange(4)), session)
            bias.load(np.cos(numbers), session)
            first += rows
        return [value.round(4).tolist() for value in session.run(made)], [
            round(float(np.abs(value).sum()), 3) for value in session.run([tf.convert_to_tensor(gradient) for gradient in gradients])]


for parts in (1, 2, 3):
    print(parts, losses(parts), losses(parts, partition_strategy="div"))
try:
    losses(3, partition_strategy="other")
except ValueError as error:
    print(error)

# ---- options of datasets


def option(name, value):
    options = tf.data.Options()
    setattr(options, name, value)
    return getattr(options, name)


tried("option", lambda: option("experimental_nothing", 1))
tried("option", lambda: option("experimental_deterministic", False))
tried("option", lambda: option("experimental_slack", True))
tried("option", lambda: option("experimental_slack", 3))
options = tf.data.Options()
options.experimental_optimization.map_parallelization = True
options.experimental_threading.private_threadpool_size = 3
print(options.experimental_optimization.map_parallelization, options.experimental_threading.private_threadpool_size)
tried("option", lambda: setattr(options.experimental_optimization, "colour", True))

# ---- normalization


def normalized(shape, **more):
    tf.reset_default_graph()
    x = constant(np.arange(np.prod(shape)).reshape(shape), tf.float32)
    y = tf.layers.batch_normalization(x, training=True, **more)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.get_collection("update_ops"))
        return [value.round(4).tolist() for value in session.run(tf.global_variables()[2:])], session.run(y).ravel()[:3].round(4).tolist()


print(normalized([4, 3], fused=True), normalized([4, 3], fused=False), normalized([2, 3, 4], fused=False))
print(normalized([2, 2, 3, 4], fused=True), normalized([2, 2, 3, 4], axis=1, fused=True), normalized([2, 2, 3, 4], axis=2, fused=False))
