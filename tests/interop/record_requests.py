#!/usr/bin/env python3
"""Records what a client's script asks of a server as tests/golden/requests.txt, for tests that replay it whole and damaged.

    record_requests.py PATH/TO/flowray        (with the Python of build/interop-venv)

The format is in tests/golden/README.md.
"""

import os
import sys

os.environ["FLOWRAY_BINARY"] = sys.argv[1]

import recordings_test  # noqa: E402
from recording_proxy import request_lines  # noqa: E402
from tensorflow_client import HERE, Server, np, tf  # noqa: E402

# Those left out only differ from others in what the client does with the answer, or are long.
LEFT_OUT = {"error_long", "error_placeholder_of_no_shape", "error_uninitialized_variable_fetched", "error_no_session", "containers",
            "callable_with_metadata", "error_op", "error_input", "error_attribute", "error_body", "soft_placement", "error_deadline",
            "error_device", "error_cluster", "partition_graphs", "reset"}


class Script(recordings_test.Script):
    def training(self):
        """A network with a convolution, as wide as a request may be: many ops, feeds, constants, ref and resource variables."""
        tf.set_random_seed(1)
        x, y = tf.placeholder(tf.float32, [None, 6, 6, 1]), tf.placeholder(tf.int32, [None])
        kernel = tf.Variable(tf.truncated_normal([3, 3, 1, 2], stddev=0.1))
        net = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME")), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        weights = tf.get_variable("weights", [18, 3], use_resource=True)
        logits = tf.matmul(tf.reshape(net, [-1, 18]), weights)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        train = tf.train.AdamOptimizer().minimize(loss)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run([train, loss], {x: np.ones((2, 6, 6, 1)), y: [0, 2]})

    def text_and_shapes(self):
        words, parts = tf.placeholder(tf.string, [None]), tf.placeholder(tf.float64, [2, 4])
        results = [tf.identity(words), *tf.split(parts, 2, 1), tf.concat([parts, parts], 0), parts[:, 1:3], tf.transpose(parts),
                   tf.one_hot([1, 0], 3), tf.cast(parts, tf.bfloat16), tf.argmax(parts, 1), tf.tile(parts, [1, 2])]
        with self.session() as session:
            session.run(results, {words: ["a", "bc"], parts: np.ones((2, 4))})


def main():
    recordings_test.Script, recordings_test.STEPS = Script, [
        name for name in (*recordings_test.STEPS, "training", "text_and_shapes") if name not in LEFT_OUT
    ]
    server = Server()
    steps = recordings_test.recorded(server)
    server.end()
    with open(os.path.join(HERE, "..", "golden", "requests.txt"), "w", encoding="ascii") as file:
        for name, (_, calls) in steps.items():
            file.write(f"step {name}\n")
            file.writelines(request_lines(calls))


if __name__ == "__main__":
    main()
