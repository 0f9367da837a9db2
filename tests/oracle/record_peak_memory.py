#!/usr/bin/env python3
"""Records how much memory real TensorFlow's CPU allocator hands out at once in a step, as tests/golden/peak_memory.json.

Usage: record_peak_memory.py [WORD...]   prints only the programs whose name contains a word, and writes nothing.
What is counted and the format are in tests/golden/README.md.
"""

import json
import os
import sys

from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

from tensorflow.core.protobuf import rewriter_config_pb2

RUNS = 5  # measured ones of each setting


def placeholder(shape, dtype=tf.float32, name="x"):
    return tf.placeholder(dtype, shape, name=name)


def variable(name, shape, value=0.02):
    return tf.get_variable(name, initializer=tf.fill(shape, value))


def dense(x, width, name, activation=None):
    y = tf.matmul(x, variable(name + "_w", [int(x.shape[1]), width])) + variable(name + "_b", [width])
    return activation(y) if activation else y


def mlp(batch, optimizer):
    x, labels = placeholder([batch, 32]), placeholder([batch], tf.int32, "labels")
    hidden = dense(dense(x, 64, "one", tf.nn.relu), 64, "two", tf.nn.relu)
    logits = dense(hidden, 10, "three")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return [loss], [optimizer.minimize(loss)]


def mlp_batch_7():
    return mlp(7, tf.train.MomentumOptimizer(0.01, 0.9))


def mlp_batch_32():
    return mlp(32, tf.train.RMSPropOptimizer(0.01))


def mlp_batch_1024():
    return mlp(1024, tf.train.RMSPropOptimizer(0.01))


def mlp_adam_and_accuracy():
    x, labels = placeholder([64, 32]), placeholder([64, 10], name="labels")
    logits = dense(dense(x, 128, "one", tf.tanh), 10, "two")
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    return [loss, tf.reduce_mean(tf.cast(right, tf.float32))], [tf.train.AdamOptimizer(0.01).minimize(loss)]


def linear_regression():
    x, y = placeholder([100]), placeholder([100], name="y")
    w, b = variable("w", [1]), variable("b", [1])
    loss = tf.reduce_mean(tf.square(w * x + b - y))
    return [loss], [tf.train.GradientDescentOptimizer(0.5).minimize(loss)]


def lenet(batch):
    x, labels = placeholder([batch, 28, 28, 1]), placeholder([batch, 10], name="labels")
    y = x
    for name, shape, padding in (("conv1", [5, 5, 1, 6], "SAME"), ("conv2", [5, 5, 6, 16], "VALID")):
        y = tf.nn.relu(tf.nn.conv2d(y, variable(name, shape), strides=[1, 1, 1, 1], padding=padding))
        y = tf.nn.avg_pool(y, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    logits = dense(dense(tf.reshape(y, [batch, 400]), 120, "fc1", tf.nn.relu), 10, "fc2")
    return labels, logits


def lenet_training():
    labels, logits = lenet(16)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    return [loss], [tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)]


def lenet_inference():
    _, logits = lenet(16)
    return [tf.nn.softmax(logits)], []


def elementwise_chain():
    x = y = placeholder([10000])
    for i in range(40):
        y = [tf.tanh, tf.exp, tf.sqrt, lambda v: v * 0.5, lambda v: v + x][i % 5](y)
    return [y], []


def chain_of_products():
    y = placeholder([50, 50])
    for i in range(10):
        y = tf.matmul(y, variable(f"w{i}", [50, 50]))
    return [y], []


def wide_products():
    """Sixteen values that are alive at once."""
    x = placeholder([64, 32])
    parts = [tf.tanh(tf.matmul(x, variable(f"w{i}", [32, 40]))) for i in range(16)]
    return [tf.add_n(parts), tf.reduce_max(tf.concat(parts, 1), 1)], []


def attention():
    x = placeholder([4, 24, 32])

    def heads(name):
        y = tf.matmul(tf.reshape(x, [96, 32]), variable(name, [32, 32]))
        return tf.transpose(tf.reshape(y, [4, 24, 4, 8]), [0, 2, 1, 3])

    q, k, v = heads("q"), heads("k"), heads("v")
    weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 0.35)
    y = tf.reshape(tf.transpose(tf.matmul(weights, v), [0, 2, 1, 3]), [4, 24, 32]) + x
    mean = tf.reduce_mean(y, -1, keepdims=True)
    spread = tf.reduce_mean(tf.square(y - mean), -1, keepdims=True)
    return [(y - mean) * tf.math.rsqrt(spread + 1e-5)], []


def attention_training():
    y = attention()[0][0]
    loss = tf.reduce_mean(tf.square(y - 0.5))
    return [loss], [tf.train.GradientDescentOptimizer(0.1).minimize(loss)]


def data_movement():
    x = placeholder([30, 40])
    parts = tf.split(x, 4, axis=1)
    y = tf.concat([parts[3], parts[1], tf.pad(parts[0], [[0, 0], [5, 5]])[:, :10]], 1)
    tiled = tf.tile(tf.transpose(y), [2, 1])
    return [tf.gather(tiled, [3, 1, 2]), tf.reduce_sum(tiled, 0), tf.reverse(y, [1])], []


def results_in_the_middle():
    x = placeholder([100, 100])
    a = tf.matmul(x, x)
    b = tf.nn.softmax(a)
    c = tf.matmul(b, a)
    d = tf.nn.softmax(c)
    return [a, d], []


def large_results_of_large_values():
    x = placeholder([200, 50])
    y = tf.nn.softmax(tf.nn.softmax(tf.matmul(x, variable("w", [50, 80]))))
    return [tf.transpose(y), tf.nn.log_softmax(y)], []


def loop():
    x = placeholder([1000])
    w = variable("w", [1000])
    _, y = tf.while_loop(lambda i, y: i < 20, lambda i, y: (i + 1, tf.sqrt(tf.cumsum(y) + w)), [0, x])
    return [y], []


def loop_of_products():
    x = placeholder([20, 60])
    w, u = variable("w", [60, 90]), variable("u", [90, 60])
    _, y = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, tf.matmul(tf.nn.relu(tf.matmul(y, w)), u)), [0, x])
    return [tf.reduce_sum(y)], []


def conditional():
    x = placeholder([80, 80])
    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.matmul(tf.nn.softmax(tf.matmul(x, x)), x), lambda: x)
    return [tf.reduce_sum(y)], []


def conditional_in_a_loop():
    x = placeholder([40, 40])

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.matmul(y, x), lambda: tf.nn.softmax(tf.matmul(y, y)))

    return [tf.while_loop(lambda i, y: i < 6, body, [0, x])[1]], []


def recurrent(length, batch, width):
    x = placeholder([length, batch, width])
    w = variable("w", [2 * width, width])
    steps = tf.TensorArray(tf.float32, length).unstack(x)
    outputs = tf.TensorArray(tf.float32, length)

    def body(t, state, out):
        state = tf.tanh(tf.matmul(tf.concat([steps.read(t), state], 1), w))
        return t + 1, state, out.write(t, state)

    _, _, out = tf.while_loop(lambda t, *_: t < length, body, [0, tf.zeros([batch, width]), outputs])
    return out.stack()


def recurrent_inference():
    return [tf.reduce_sum(recurrent(12, 8, 16), [1, 2])], []


def recurrent_training():
    loss = tf.reduce_mean(tf.square(recurrent(12, 8, 16)))
    return [loss], [tf.train.GradientDescentOptimizer(0.1).minimize(loss)]


def known_only_at_run_time():
    """How many rows there are shows only in the step."""
    x, classes = placeholder([300, 8]), placeholder([300], tf.int32, "classes")
    kept = tf.boolean_mask(x, tf.reduce_sum(x, 1) > 3.0)
    names, index = tf.unique(classes)
    sums = tf.math.unsorted_segment_sum(x, index, tf.size(names))
    return [tf.reduce_sum(tf.exp(kept * 0.1), 1), tf.nn.softmax(sums)], []


def embedding_training():
    ids = placeholder([50], tf.int32, "ids")
    rows = tf.gather(variable("table", [1000, 16]), ids)
    loss = tf.reduce_mean(tf.square(dense(rows, 16, "out") - 0.1))
    return [loss], [tf.train.AdagradOptimizer(0.1).minimize(loss)]


def lenet5_with_accuracy():
    x, labels = placeholder([100, 784]), placeholder([100, 10], name="labels")
    y = tf.reshape(x, [-1, 28, 28, 1])
    for name, shape, padding in (("conv1", [5, 5, 1, 6], "SAME"), ("conv2", [5, 5, 6, 16], "VALID")):
        y = tf.nn.conv2d(y, variable(name + "_w", shape), strides=[1, 1, 1, 1], padding=padding)
        y = tf.nn.max_pool(tf.nn.relu(y + variable(name + "_b", [shape[3]])), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    hidden = dense(dense(tf.reshape(y, [100, 400]), 120, "fc1", tf.nn.relu), 84, "fc2", tf.nn.relu)
    logits = dense(hidden, 10, "fc3")
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    return [loss, tf.reduce_mean(tf.cast(right, tf.float32))], [tf.train.AdamOptimizer(0.001).minimize(loss)]


def lstm_cell(x, state, output, w, b):
    gates = tf.matmul(tf.concat([x, output], 1), w) + b
    i, j, f, o = tf.split(gates, 4, axis=1)
    state = state * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    return state, tf.tanh(state) * tf.sigmoid(o)


def lstm_training():
    """Unrolled over eight steps."""
    x, labels = placeholder([8, 16, 24]), placeholder([16], tf.int32, "labels")
    w, b = variable("w", [24 + 32, 4 * 32]), variable("b", [4 * 32])
    state = output = tf.zeros([16, 32])
    for step in tf.unstack(x):
        state, output = lstm_cell(step, state, output, w, b)
    logits = dense(output, 10, "out")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return [loss], [tf.train.RMSPropOptimizer(0.01).minimize(loss)]


def lstm_inference_in_a_loop():
    x = placeholder([20, 16, 24])
    w, b = variable("w", [24 + 32, 4 * 32]), variable("b", [4 * 32])
    zeros = tf.zeros([16, 32])

    def body(t, state, output):
        return (t + 1, *lstm_cell(x[t], state, output, w, b))

    return [tf.while_loop(lambda t, *_: t < 20, body, [0, zeros, zeros])[2]], []


def batch_norm_training(is_fused):
    x, labels = placeholder([16, 12, 12, 8]), placeholder([16, 10], name="labels")
    y = x
    for layer in range(3):
        y = tf.nn.conv2d(y, variable(f"conv{layer}", [3, 3, 8, 8]), strides=[1, 1, 1, 1], padding="SAME")
        scale, shift = variable(f"scale{layer}", [8], 1.0), variable(f"shift{layer}", [8])
        if is_fused:
            y = tf.nn.relu(tf.nn.fused_batch_norm(y, scale, shift)[0])
        else:
            mean, spread = tf.nn.moments(y, [0, 1, 2])
            y = tf.nn.relu(tf.nn.batch_normalization(y, mean, spread, shift, scale, 1e-3))
    logits = dense(tf.reduce_mean(y, [1, 2]), 10, "out")
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    return [loss], [tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)]


def batch_norm_by_moments_training():
    return batch_norm_training(False)


def batch_norm_fused_training():
    return batch_norm_training(True)


def many_elementwise_values():
    """Two hundred ops on values that are read again much later, and their gradients."""
    values = [placeholder([40, 50])]
    w = variable("w", [50], 0.5)
    for i in range(200):
        a, b = values[-1], values[(i * 7) % len(values)]
        values.append([tf.tanh(a), a + b, a * 0.5, tf.sigmoid(b), a - w, a * tf.tanh(b)][i % 6])
    loss = tf.reduce_mean(tf.square(values[-1]))
    return [loss], [tf.train.GradientDescentOptimizer(0.1).minimize(loss)]


def two_embeddings_with_sparse_updates():
    users, items = placeholder([200], tf.int32, "users"), placeholder([200], tf.int32, "items")
    rating = placeholder([200], name="rating")
    u = tf.nn.embedding_lookup(variable("user_table", [500, 24]), users)
    v = tf.nn.embedding_lookup(variable("item_table", [300, 24]), items)
    bias = tf.gather(variable("user_bias", [500]), users)
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(u * v, 1) + bias - rating))
    return [loss], [tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)]


def layer_norm_and_softmax_by_hand():
    x = placeholder([64, 96])
    y = dense(x, 96, "one")
    mean = tf.reduce_mean(y, 1, keepdims=True)
    spread = tf.reduce_mean(tf.square(y - mean), 1, keepdims=True)
    y = (y - mean) / tf.sqrt(spread + 1e-5) * variable("scale", [96], 1.0) + variable("shift", [96])
    exps = tf.exp(y - tf.reduce_max(y, 1, keepdims=True))
    loss = tf.reduce_mean(tf.square(exps / tf.reduce_sum(exps, 1, keepdims=True)))
    return [loss], [tf.train.AdagradOptimizer(0.1).minimize(loss)]


PROGRAMS = [mlp_batch_7, mlp_batch_32, mlp_batch_1024, mlp_adam_and_accuracy, linear_regression, lenet_training,
            lenet_inference, elementwise_chain, chain_of_products, wide_products, attention, attention_training,
            data_movement, results_in_the_middle, large_results_of_large_values, loop, loop_of_products, conditional,
            conditional_in_a_loop, recurrent_inference, recurrent_training, known_only_at_run_time, embedding_training,
            lenet5_with_accuracy, lstm_training, lstm_inference_in_a_loop, batch_norm_by_moments_training,
            batch_norm_fused_training, many_elementwise_values, two_embeddings_with_sparse_updates,
            layer_norm_and_softmax_by_hand]


def fed_value(tensor):
    """Element i is i mod 7, or for bools whether that is not 0."""
    count = int(np.prod(tensor.shape.as_list()))
    return (np.arange(count) % 7).astype(tensor.dtype.as_numpy_dtype).reshape(tensor.shape.as_list())


def peak_of(metadata):
    """The most bytes that were handed out at once. The log has microseconds: of two entries with one time that which gives
    back is taken first, so that the figure is never too large."""
    log = [(record.alloc_micros, record.alloc_bytes)
           for device in metadata.step_stats.dev_stats for node in device.node_stats for used in node.memory
           for record in used.allocation_records]
    live = peak = 0
    for _, change in sorted(log):
        live += change
        peak = max(peak, live)
    return peak


def measure(fetches, targets, feeds, optimises):
    rewrites = rewriter_config_pb2.RewriterConfig(disable_meta_optimizer=not optimises)
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1,
                            graph_options=tf.GraphOptions(rewrite_options=rewrites))
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    peaks = []
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        for run in range(RUNS + 2):  # the first two warm up
            metadata = tf.RunMetadata()
            session.run([fetches, targets], feeds, options=options, run_metadata=metadata)
            if run >= 2:
                peaks.append(peak_of(metadata))
    return peaks


def record(program):
    with tf.Graph().as_default() as graph:
        tf.disable_control_flow_v2()
        fetches, targets = program()
        feeds = {op.outputs[0]: fed_value(op.outputs[0]) for op in graph.get_operations() if op.type == "Placeholder"}
        initializers = [tf.global_variables_initializer()]
        peaks = {"as_it_stands": measure(fetches, targets, feeds, False), "optimised": measure(fetches, targets, feeds, True)}
        print(program.__name__, peaks)
        return {"graph": graph.as_graph_def().SerializeToString().hex(), "initializers": [op.name for op in initializers],
                "fetches": [tensor.name for tensor in fetches], "targets": [op.name for op in targets],
                "feeds": {t.name: {"dtype": t.dtype.name, "shape": t.shape.as_list()} for t in feeds},
                "peak_bytes": min(min(each) for each in peaks.values())}


def main():
    words = sys.argv[1:]
    recorded = {program.__name__: record(program) for program in PROGRAMS
                if not words or any(word in program.__name__ for word in words)}
    path = os.path.join(GOLDEN, "peak_memory.json")
    if not words and write_if_changed(path, json.dumps(recorded, indent=1) + "\n"):
        print(path)


if __name__ == "__main__":
    main()
