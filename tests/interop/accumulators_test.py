"""Accumulators of gradients, and synchronous training with them, as in TensorFlow's local session."""

import contextlib
import threading
import unittest

from queue_client_test import what_happens
from tensorflow_client import ServerTest, np, resource_variables, tf

raw = tf.raw_ops


class AccumulatorsTest(ServerTest):
    def test_dense_gradients(self):
        step, gradient, count = tf.placeholder(tf.int64, []), tf.placeholder(tf.float32, None), tf.placeholder(tf.int32, [])
        for options in ({}, {"reduction_type": "SUM"}):
            of_ref = tf.ConditionalAccumulator(tf.float32, shape=[2], **options)
            handle = raw.ResourceConditionalAccumulator(dtype=tf.float32, shape=[2], **options)
            forms = [
                (of_ref.apply_grad(gradient, step), of_ref.num_accumulated(), of_ref.take_grad(count), of_ref.set_global_step(step)),
                (raw.ResourceAccumulatorApplyGradient(handle=handle, local_step=step, gradient=gradient),
                 raw.ResourceAccumulatorNumAccumulated(handle=handle),
                 raw.ResourceAccumulatorTakeGradient(handle=handle, num_required=count, dtype=tf.float32),
                 raw.ResourceAccumulatorSetGlobalStep(handle=handle, new_global_step=step)),
            ]
            for put, size, get, move in forms:
                def program(session, put=put, size=size, get=get, move=move):
                    def step_of(local, *value):
                        return str(what_happens(lambda: session.run(put, {step: local, gradient: value})))

                    seen = [step_of(0, 1, 2), step_of(0, 3, 5), session.run(size), session.run(get, {count: 1}), session.run(size)]
                    seen += [step_of(0, 1, 2), session.run(size), step_of(1, 1, 2, 3), str(what_happens(lambda: session.run(get, {count: 0})))]
                    session.run(move, {step: 5})
                    seen += [step_of(4, 1, 2), session.run(size), step_of(5, 1, 2), session.run(size)]
                    session.run(move, {step: 3})
                    return seen + [step_of(4, 7, 7), session.run(get, {count: 2})]

                self.assert_same(program)

    def test_sparse_gradients(self):
        step, indices, rows = tf.placeholder(tf.int64, []), tf.placeholder(tf.int64, None), tf.placeholder(tf.float32, None)
        shape, count = tf.placeholder(tf.int64, None), tf.placeholder(tf.int32, [])
        for known, declared, options in ((True, [4, 2], {}), (False, None, {}), (False, [None, 2], {"reduction_type": "SUM"})):
            accumulator = tf.SparseConditionalAccumulator(tf.float32, shape=declared, **options)
            handle = accumulator.accumulator_ref
            put = raw.SparseAccumulatorApplyGradient(handle=handle, local_step=step, gradient_indices=indices, gradient_values=rows,
                                                     gradient_shape=shape, has_known_shape=known)
            get = raw.SparseAccumulatorTakeGradient(handle=handle, num_required=count, dtype=tf.float32)

            def program(session, put=put, get=get):
                def add(local, at, values, of=(4, 2)):
                    feed = {step: local, indices: at, rows: values, shape: of}
                    return str(what_happens(lambda: session.run(put, feed)))

                seen = [add(0, [0, 2], [[1, 2], [3, 4]]), add(0, [2, 3], [[10, 20], [30, 40]]), *session.run(get, {count: 2})]
                seen += [add(0, [0], [[1, 2]]), add(1, [1], [[1, 2]]), add(1, [0, 3], [[1, 2], [5, 5]]), *session.run(get, {count: 1})]
                seen += [add(2, [1], [[1, 2, 3]]), add(2, [1], [1]), add(2, [0], [[1, 2]]), add(2, [1], [[[1, 2]]]), *session.run(get, {count: 1})]
                return seen

            self.assert_same(program)

    def test_a_taker_waits(self):
        accumulator = tf.ConditionalAccumulator(tf.float32, shape=[])
        put, get = accumulator.apply_grad(3.0), accumulator.take_grad(2)
        begun = tf.FIFOQueue(1, tf.int32, shapes=[[]])
        with tf.control_dependencies([begun.enqueue(1)]):
            get_later = accumulator.take_grad(2)
        get_begun = begun.dequeue()
        with self.session() as session:
            taken = []
            thread = threading.Thread(target=lambda: taken.append(session.run(get)))
            thread.start()
            session.run(put)
            session.run(put)
            thread.join(30)
            self.assertEqual(taken, [3.0])
            waiting = threading.Thread(target=lambda: taken.append(self.raised(lambda: session.run(get_later))))
            waiting.start()
            session.run(get_begun)  # the step is at the server before the session is closed
        waiting.join(30)
        self.assertIsInstance(taken[1], (tf.errors.CancelledError, tf.errors.AbortedError))

    def test_synchronous_training(self):
        for variables in (resource_variables, contextlib.nullcontext):
            with self.subTest(variables=variables.__name__):
                tf.reset_default_graph()
                tf.Session.reset(self.server.target)
                self.train_synchronously(variables)

    def train_synchronously(self, variables):
        with variables():
            w = tf.Variable([1.0, 2.0], name="w")
            step = tf.train.get_or_create_global_step()
            loss = tf.reduce_sum(tf.square(w - [3.0, -1.0]))
            descent = tf.train.GradientDescentOptimizer(0.1)
            optimizer = tf.train.SyncReplicasOptimizer(descent, replicas_to_aggregate=1, total_num_replicas=1)
            train = optimizer.minimize(loss, global_step=step)
            hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
            hook.begin()
            init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
        with self.session() as session:
            session.run(init[0])
            session.run(init[1])
            hook.after_create_session(session, None)
            for _ in range(5):
                session.run(train)
            self.assertEqual(session.run(step), 5)
            # Each step takes a fifth of the distance: 1 - 0.8 ** 5 of it after five.
            np.testing.assert_allclose(session.run(w), np.array([1, 2]) + (1 - 0.8**5) * np.array([2, -3]), rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
