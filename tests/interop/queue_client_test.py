"""Queues, the ends of steps and their traces, with TensorFlow's client: what it sees here is what it sees in its local session."""

import json
import re
import threading
import unittest

from tensorflow.python.client import timeline
from tensorflow_client import ServerTest, np, tf


def what_happens(run):
    """The value, or the class of the error with the first line that is its own and where it says it was."""
    try:
        return run()
    except tf.errors.OpError as error:
        lines = [line for line in error.message.splitlines() if line and not line.startswith("From /job:")]
        reason = next(line for line in lines if not line.startswith(("Graph execution error", "Detected at", " ", "Node:")))
        return type(error).__name__, re.sub(r"'_\d+_", "'_", reason), error.op.name if error.op else None


class QueueClientTest(ServerTest):
    def test_fifo_queue(self):
        queue = tf.FIFOQueue(3, [tf.float32, tf.string], shapes=[[2], []])
        x = tf.placeholder(tf.float32, [None, 2])
        put, put_many = queue.enqueue([[1.0, 2.0], "a"]), queue.enqueue_many([x, tf.constant(["b", "c"])])
        get, get_many, get_fewer, size = queue.dequeue(), queue.dequeue_many(2), queue.dequeue_up_to(5), queue.size()
        close, closed = queue.close(), queue.is_closed()

        def program(session):
            session.run(put)
            session.run(put_many, {x: [[3, 4], [5, 6]]})
            values = [session.run(fetch) for fetch in (size, get, get_many, size, closed)]
            session.run(put)
            session.run(close)
            return values + [session.run(closed), session.run(size)]

        self.assert_same(program)

        def ending(session):
            session.run(put)
            session.run(close)
            return [session.run(get_fewer), *(str(what_happens(lambda f=f: session.run(f))) for f in (get, get_many, get_fewer, put, close))]

        self.assert_same(ending)

    def test_values_of_the_wrong_kind(self):
        raw = tf.raw_ops
        queue = raw.FIFOQueueV2(component_types=[tf.float32, tf.int32], shapes=[[2], []], capacity=2)
        x, i, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32), tf.placeholder(tf.int32, [])
        wrong = [
            (raw.QueueEnqueueV2(handle=queue, components=[x, i]), {x: [1, 2, 3], i: 1}),
            (raw.QueueEnqueueV2(handle=queue, components=[x]), {x: [1, 2]}),
            (raw.QueueEnqueueV2(handle=queue, components=[i, i]), {i: 1}),
            (raw.QueueEnqueueManyV2(handle=queue, components=[x, i]), {x: [[1, 2]], i: [1, 2]}),
            (raw.QueueDequeueV2(handle=queue, component_types=[tf.int32])[0], {}),
            (raw.QueueDequeueManyV2(handle=queue, n=n, component_types=[tf.float32, tf.int32])[0], {n: -1}),
            (raw.QueueSizeV2(handle=raw.FIFOQueueV2(component_types=[tf.float32], shapes=[[2], [3]])), {}),
            (raw.QueueSizeV2(handle=raw.RandomShuffleQueueV2(component_types=[tf.float32], capacity=2, min_after_dequeue=3)), {}),
        ]
        for fetch, feed in wrong:
            with self.subTest(fetch.name):
                self.assert_same(lambda s, fetch=fetch, feed=feed: str(what_happens(lambda: s.run(fetch, feed))))

    def test_shared_queues_that_are_not_the_same(self):
        make = tf.raw_ops.FIFOQueueV2
        other = [
            dict(component_types=[tf.int32], capacity=3, shapes=[[]]),
            dict(component_types=[tf.float32], capacity=4, shapes=[[]]),
            dict(component_types=[tf.float32], capacity=3, shapes=[[2]]),
        ]
        size = tf.raw_ops.QueueSizeV2
        first = size(handle=make(component_types=[tf.float32], capacity=3, shapes=[[]], shared_name="s"))
        others = [size(handle=make(shared_name="s", **options)) for options in other]
        others.append(size(handle=tf.raw_ops.RandomShuffleQueueV2(component_types=[tf.float32], capacity=3, shapes=[[]], shared_name="s")))
        self.assert_same(lambda s: [s.run(first)] + [str(what_happens(lambda f=f: s.run(f))) for f in others])

    def test_random_shuffle_queue_gives_the_order_of_its_seed(self):
        queue = tf.RandomShuffleQueue(30, 4, [tf.int32], shapes=[[]], seed=3)
        put, some, rest = queue.enqueue_many([tf.range(20)]), queue.dequeue_many(16), queue.dequeue_up_to(9)
        close = queue.close()

        def program(session):
            session.run(put)
            first = session.run(some)
            session.run(close)
            return [first, session.run(rest)]

        self.assert_same(program)

    def test_padding_and_priority(self):
        padded = tf.PaddingFIFOQueue(5, [tf.int32], shapes=[[None, None]])
        row = tf.placeholder(tf.int32, [None, None])
        put, get = padded.enqueue([row]), padded.dequeue_many(3)
        ordered = tf.PriorityQueue(9, [tf.string], shapes=[[]])
        put_all = ordered.enqueue_many([tf.constant([4, 1, 3, 2], tf.int64), tf.constant(["d", "a", "c", "b"])])
        get_all = ordered.dequeue_many(4)

        def program(session):
            for value in ([[1, 2, 3]], [[4], [5]], np.zeros([0, 2])):
                session.run(put, {row: value})
            session.run(put_all)
            return [session.run(get), session.run(get_all)]

        self.assert_same(program)

    def test_an_input_pipeline_feeds_a_training(self):
        tf.set_random_seed(1)
        data = np.random.RandomState(0).rand(64, 3).astype(np.float32)
        x, y = tf.constant(data), tf.constant(data @ np.array([[1.0], [2.0], [3.0]], np.float32))
        queue = tf.FIFOQueue(32, [tf.float32, tf.float32], shapes=[[3], [1]])
        runner = tf.train.QueueRunner(queue, [queue.enqueue_many([x, y])])
        tf.train.add_queue_runner(runner)
        batch_x, batch_y = queue.dequeue_many(16)
        w = tf.Variable(tf.zeros([3, 1]))
        loss = tf.reduce_mean(tf.square(tf.matmul(batch_x, w) - batch_y))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            losses = [session.run([loss, train])[0] for _ in range(60)]
            coordinator.request_stop()
            session.run(queue.close(cancel_pending_enqueues=True))
            coordinator.join(threads)
            return losses

        losses = self.assert_same(program, 1e-4)
        self.assertLess(losses[-1], 0.05 * losses[0])

    def test_a_step_that_waits_ends_with_its_session(self):
        queue = tf.FIFOQueue(3, [tf.int32], shapes=[[]])
        put, get, size = queue.enqueue(1), queue.dequeue_many(2), queue.size()
        session = self.session()
        session.run(put)
        errors = []
        thread = threading.Thread(target=lambda: errors.append(self.raised(lambda: session.run(get))))
        thread.start()
        while session.run(size) != 0:
            pass
        session.close()
        thread.join(30)
        self.assertEqual([type(error) for error in errors], [tf.errors.CancelledError])
        self.assertIn("Step was cancelled by an explicit call to `Session::Close()`.", errors[0].message)

    def test_traces_are_drawn(self):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[2, 2]])
        w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
        put = queue.enqueue([[[1.0, 0.0], [0.0, 1.0]]])
        product = tf.matmul(queue.dequeue(name="get"), w, name="product")
        metadata = tf.RunMetadata()
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(put)
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
            session.run(product, options=options, run_metadata=metadata)
        events = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())["traceEvents"]
        ops = {event["args"]["name"]: event["args"] for event in events if event["ph"] == "X"}
        self.assertEqual(ops["product"], {"name": "product", "op": "MatMul", "input0": "get", "input1": "w/read"})
        self.assertEqual(ops["get"]["op"], "QueueDequeueV2")
        (device,) = metadata.step_stats.dev_stats
        self.assertRegex(device.device, r"^/job:\w+/replica:0/task:0/device:CPU:0$")
        graph_nodes = {node.name: node.op for node in metadata.partition_graphs[0].node}
        self.assertEqual(graph_nodes["get"], "QueueDequeueV2")


if __name__ == "__main__":
    unittest.main()
