"""Many clients, clients that die, steps that wait: what a server must live through."""

import contextlib
import subprocess
import sys
import threading
import time
import unittest

from tensorflow_client import HERE, NIGHTLY, ServerTest, np, tf

AT_MOST_10_S = tf.RunOptions(timeout_in_ms=10_000)


def until(condition, limit_s=60):
    """Waits until `condition()` holds, and returns whether it does before the limit."""
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class ClientsTest(ServerTest):
    @contextlib.contextmanager
    def client(self, what):
        """A client of its own process, killed at the end if it still runs."""
        process = subprocess.Popen([sys.executable, f"{HERE}/client_process.py", self.server.target, what], stderr=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def in_threads(self, count, program):
        """Runs `program(i)` in `count` threads at once, and returns what they returned; the first error is the test's."""
        results, errors = [None] * count, []
        start = threading.Barrier(count)

        def run(i):
            try:
                start.wait()
                results[i] = program(i)
            except Exception as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return results

    def shared_variable(self):
        with tf.Graph().as_default() as graph:
            variable = tf.Variable(0, name="shared")
        session = self.session(graph)
        self.addCleanup(session.close)
        session.run(variable.initializer)
        return lambda: session.run(variable)

    def test_50_clients_each_with_a_session_of_its_own(self):
        def train(i):
            with tf.Graph().as_default(), self.session(isolate_session_state=True) as session:
                w = tf.Variable(0.0)
                x = tf.placeholder(tf.float32, [10])
                loss = tf.reduce_mean(tf.square(w * x - float(i) * x))
                step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
                session.run(tf.global_variables_initializer())
                for _ in range(50):
                    session.run(step, {x: np.linspace(-1, 1, 10)})
                return session.run(w)

        np.testing.assert_allclose(self.in_threads(50, train), np.arange(50), rtol=1e-5, atol=1e-5)

    def test_50_clients_of_one_variable(self):
        value = self.shared_variable()

        def add(i):
            with tf.Graph().as_default(), self.session() as session:
                step = tf.Variable(0, name="shared").assign_add(i, use_locking=True)
                for _ in range(20):
                    session.run(step)

        self.in_threads(50, add)
        self.assertEqual(value(), 20 * sum(range(50)))

    def test_50_threads_of_one_session(self):
        x = tf.placeholder(tf.int32, [])
        y = x * x
        with self.session() as session:
            results = self.in_threads(50, lambda i: [session.run(y, {x: i + j}) for j in range(20)])
        self.assertEqual(results, [[(i + j) ** 2 for j in range(20)] for i in range(50)])

    def test_processes_of_one_variable(self):
        value = self.shared_variable()
        add = tf.Variable(0, name="shared").assign_add(1, use_locking=True)
        with self.client("add") as client, self.session() as session:
            self.assertTrue(until(lambda: value() > 0))
            for _ in range(200):
                session.run(add)
            self.assertEqual(client.wait(), 0)
        self.assertEqual(value(), 400)

    def test_a_client_that_is_killed_while_its_step_computes(self):
        value = self.shared_variable()
        threads = self.server.status()["Threads"]
        with self.client("compute") as client:
            self.assertTrue(until(lambda: value() == 1))
            self.assertIsNone(client.poll(), "the step is over: it is too short to be killed")
            client.kill()
        with tf.Graph().as_default(), self.session() as session:
            self.assertEqual(session.run(tf.constant(20) + 1), 21)
        self.assertEqual(value(), 1)
        self.assertTrue(until(lambda: self.server.status()["Threads"] <= threads + 2), "the step's thread has not ended")

    def test_a_client_that_is_killed_while_its_step_waits(self):
        self.need("FIFOQueueV2", "QueueDequeueV2", "QueueEnqueueV2")
        value = self.shared_variable()
        queue = tf.FIFOQueue(10, tf.int32, shared_name="queue")
        put, get, size = queue.enqueue(5), queue.dequeue(), queue.size()
        with self.session() as session:
            with self.client("wait"):
                self.assertTrue(until(lambda: value() == 1))
            # Whoever is dead takes nothing: the element stays.
            for _ in range(3):
                session.run(put)
                self.assertTrue(until(lambda: session.run(size) == 1, 10))
                self.assertEqual(session.run(get, options=AT_MOST_10_S), 5)

    def test_a_step_that_waits_ends_by_its_timeout(self):
        self.need("FIFOQueueV2", "QueueDequeueV2", "QueueEnqueueV2")
        queue = tf.FIFOQueue(10, tf.int32, shared_name="queue")
        put, get = queue.enqueue(5), queue.dequeue()
        threads = self.server.status()["Threads"]
        with self.session() as session:
            session.run(queue.size())
            for _ in range(3):
                error = self.raised(lambda: session.run(get, options=tf.RunOptions(timeout_in_ms=100)))
                self.assertIsInstance(error, tf.errors.DeadlineExceededError)
            session.run(put)
            self.assertEqual(session.run(get, options=AT_MOST_10_S), 5)
        with self.session(operation_timeout_in_ms=100) as session:
            self.assertIsInstance(self.raised(lambda: session.run(get)), tf.errors.DeadlineExceededError)
        with self.session() as session:
            session.run(put)
            self.assertEqual(session.run(get, options=AT_MOST_10_S), 5)
        self.assertTrue(until(lambda: self.server.status()["Threads"] <= threads + 2), "steps that timed out still wait")

    def test_sessions_leave_nothing(self):
        x = tf.placeholder(tf.float32, [10])
        w = tf.get_variable("w", [10, 10])
        y = tf.reduce_sum(tf.matmul(tf.reshape(x, [1, 10]), w))
        init = tf.global_variables_initializer()

        def open_and_close(count):
            for _ in range(count):
                with self.session() as session:
                    session.run(init)
                    session.run(y, {x: np.ones(10)})

        open_and_close(200)  # what grows with the first ones: pools, caches, the allocator's
        before = self.server.status()
        count = 10_000 if NIGHTLY else 1_000
        open_and_close(count)
        self.assertTrue(until(lambda: self.server.status()["Threads"] <= before["Threads"] + 2))
        grown_kb = self.server.status()["VmRSS"] - before["VmRSS"]
        self.assertLess(grown_kb, 3_000, f"kB more after {count} sessions")

    def test_sessions_that_are_never_closed_end_with_a_reset(self):
        init = tf.Variable(tf.zeros([1 << 20], tf.float32)).initializer
        before = None
        for i in range(30):
            sessions = [self.session(isolate_session_state=True) for _ in range(5)]  # 20 MB
            for session in sessions:
                session.run(init)
            tf.Session.reset(self.server.target)
            for session in sessions:
                with contextlib.suppress(tf.errors.OpError):
                    session.close()
            if i == 4:
                before = self.server.status()["VmRSS"]
        self.assertLess(self.server.status()["VmRSS"] - before, 60_000)


if __name__ == "__main__":
    unittest.main()
