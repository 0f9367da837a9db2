"""Threads, forked and spawned children, and the end of the interpreter: what needs processes or many threads."""

import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

from flowray import tf

PYTHON = [sys.executable, "-W", "ignore::DeprecationWarning"]  # from 3.12 on Python warns of each fork beside threads
WORK = """
import os, sys, threading
import numpy as np
from flowray import tf

def work(number):
    'Steps large enough for the pool of threads; what they give.'
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(tf.fill([400, 400], float(number)))
        square = tf.reduce_sum(tf.matmul(v, v)) / (400.0 * 400 * 400)
        sess.run(v.initializer)
        sess.run(v.assign_add(tf.ones([400, 400])))
        return float(sess.run(square))
"""


class ProcessTest(unittest.TestCase):
    """What needs a process of its own."""

    def run_program(self, text):
        done = subprocess.run([*PYTHON, "-c", text], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_the_interpreter_ends_with_sessions_open(self):
        self.run_program("from flowray import tf\n"
                         "sess = tf.InteractiveSession()\n"
                         "v = tf.Variable(tf.zeros([1000]))\n"
                         "sess.run(v.initializer)\n"
                         "scope = tf.name_scope('a'); scope.__enter__()\n")

    def test_the_interpreter_ends_while_daemon_threads_run_steps(self):
        # Once is not enough: whether a thread asks for the lock just then is chance.
        for _ in range(5):
            self.run_program("import threading\n"
                             "from flowray import tf\n"
                             "x = tf.random_uniform([1000])\n"
                             "sess = tf.Session()\n"
                             "step = sess.make_callable(x)\n"
                             "step()\n"
                             "started = threading.Barrier(9)\n"
                             "def work():\n"
                             "    started.wait()\n"
                             "    while True:\n"
                             "        sess.run(x)\n"
                             "        step()\n"
                             "for _ in range(8):\n"
                             "    threading.Thread(target=work, daemon=True).start()\n"
                             "started.wait()\n"
                             "for _ in range(20):\n"
                             "    sess.run(x)\n")

    def test_a_forked_child_runs_steps(self):
        text = self.run_program("import os\n"
                                "from flowray import tf\n"
                                "sess = tf.Session()\n"
                                "x = tf.constant([1.0, 2.0]) * 2\n"
                                "pid = os.fork()\n"
                                "if pid == 0:\n"
                                "    print(tf.Session().run(x).tolist(), flush=True)\n"
                                "    os._exit(0)\n"
                                "os.waitpid(pid, 0)\n"
                                "print(sess.run(x).tolist())\n")
        self.assertEqual(text, "[2.0, 4.0]\n[2.0, 4.0]\n")

    def test_importing_imports_nothing_large(self):
        text = self.run_program("import sys, flowray.tf\nprint('numpy' in sys.modules)")
        self.assertEqual(text, "False\n")

    def run_file(self, text):
        """As run_program, for children that import the program's file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(text)
            done = subprocess.run([*PYTHON, str(path)], capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_children_of_multiprocessing_run_steps(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                text = self.run_file(WORK + "if __name__ == '__main__':\n"
                                     "    import multiprocessing\n"
                                     "    own = work(1)\n"  # the pool of threads is there before the children
                                     f"    context = multiprocessing.get_context({method!r})\n"
                                     "    with context.Pool(3) as pool:\n"
                                     "        print(own, pool.map(work, range(5)), work(1))\n")
                self.assertEqual(text, "4.0 [1.0, 4.0, 9.0, 16.0, 25.0] 4.0\n")

    def test_children_of_a_program_of_others_know_tensorflow(self):
        program = WORK.replace("from flowray import tf", "import tensorflow.compat.v1 as tf") + \
            "if __name__ == '__main__':\n" \
            "    import multiprocessing, subprocess\n" \
            "    for method in ('spawn', 'forkserver'):\n" \
            "        with multiprocessing.get_context(method).Pool(2) as pool:\n" \
            "            print(pool.map(work, range(3)), pool.map(tf.float32.__class__, ['int32']))\n" \
            "    asked = 'import ray, keras.layers, tensorflow as tf; from tensorflow.python.framework import ops; print(ray.__name__, tf.__name__, ops.Graph is tf.Graph, keras.layers is tf.keras.layers)'\n" \
            "    environment = {**os.environ, 'PYTHONPATH': sys.argv[1]}\n" \
            "    subprocess.run([sys.executable, '-c', asked], check=True, env=environment)\n"
        aliases = subprocess.run([*PYTHON, "-m", "flowray", "--aliases"], capture_output=True, text=True, timeout=100, check=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(program)
            done = subprocess.run([*PYTHON, "-m", "flowray", str(path), aliases.stdout.strip()], capture_output=True, text=True,
                                  timeout=200, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(done.stdout, "[1.0, 4.0, 9.0] [tf.int32]\n" * 2 + "flowray.ray flowray.tf True True\n")

    def test_a_child_goes_on_with_what_its_parent_made(self):
        text = self.run_program(WORK + "x = tf.placeholder(tf.float32, [300, 300])\n"
                                "v = tf.Variable(tf.ones([300, 300]))\n"
                                "step = tf.reduce_sum(tf.matmul(v, x))\n"
                                "sess = tf.Session()\n"
                                "sess.run(v.initializer)\n"
                                "run = sess.make_callable(step, [x])\n"
                                "fed = np.ones([300, 300], np.float32)\n"
                                "first = run(fed)\n"
                                "pid = os.fork()\n"
                                "if pid == 0:\n"
                                "    sess.run(v.assign_add(tf.ones([300, 300])))\n"
                                "    print(float(run(fed) / first), float(sess.run(step, {x: fed}) / first), flush=True)\n"
                                "    sess.close()\n"
                                "    os._exit(0)\n"
                                "_, status = os.waitpid(pid, 0)\n"
                                "print(status, float(run(fed) / first))\n")
        self.assertEqual(text, "2.0 2.0\n0 1.0\n")  # the child's update is the child's

    def test_a_child_is_forked_while_threads_run_steps(self):
        text = self.run_program(WORK + "import signal\n"
                                "ends = threading.Event()\n"
                                "started = threading.Barrier(4)\n"
                                "def busy():\n"
                                "    work(0)\n"
                                "    started.wait()\n"
                                "    while not ends.is_set():\n"
                                "        work(2)\n"
                                "threads = [threading.Thread(target=busy) for _ in range(3)]\n"
                                "for thread in threads: thread.start()\n"
                                "started.wait()\n"
                                "statuses = []\n"
                                "for _ in range(10):\n"
                                "    pid = os.fork()\n"
                                "    if pid == 0:\n"
                                "        signal.alarm(60)\n"  # ends a child that hangs
                                "        os._exit(0 if work(1) == 4 else 1)\n"
                                "    statuses.append(os.waitpid(pid, 0)[1])\n"
                                "ends.set()\n"
                                "for thread in threads: thread.join()\n"
                                "print(statuses)\n")
        self.assertEqual(text, f"{[0] * 10}\n")

    def test_the_interpreter_ends_while_a_daemon_thread_waits_in_a_step(self):
        text = self.run_program("import threading\n"
                                "from flowray import tf\n"
                                "queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]])\n"
                                "waits, other = queue.dequeue(), tf.constant(1.0)\n"
                                "sess = tf.Session()\n"
                                "started = threading.Event()\n"
                                "def work():\n"
                                "    sess.run(other)\n"
                                "    started.set()\n"
                                "    sess.run(waits)\n"
                                "threading.Thread(target=work, daemon=True).start()\n"
                                "started.wait()\n"
                                "print(sess.run(other))\n")
        self.assertEqual(text, "1.0\n")

    def test_sessions_work_in_the_last_functions_of_a_program(self):
        text = self.run_program("import atexit\n"
                                "from flowray import tf\n"
                                "class Owner:\n"
                                "    def __init__(self):\n"
                                "        self.graph = tf.Graph()\n"
                                "        with self.graph.as_default():\n"
                                "            self.x = tf.constant(3.0) * 2\n"
                                "        self.sess = tf.Session(graph=self.graph)\n"
                                "        self.me = self\n"  # a cycle, which the end collects
                                "    def __del__(self):\n"
                                "        self.sess.close()\n"
                                "owner = Owner()\n"
                                "atexit.register(lambda: print(owner.sess.run(owner.x)))\n")
        self.assertEqual(text, "6.0\n")


class ThreadsTest(unittest.TestCase):
    def test_steps_that_wait_end_when_their_session_is_closed(self):
        with tf.Graph().as_default():
            queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]])
            waits, size = queue.dequeue(), queue.size()
            sess = tf.Session()
            sess.run(size)
        errors, started = [], threading.Barrier(5)

        def work():
            started.wait()
            try:
                sess.run(waits)
            except (tf.errors.CancelledError, RuntimeError) as error:  # RuntimeError: it came after the end
                errors.append(error)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.wait()
        sess.close()
        for thread in threads:
            thread.join()
        self.assertEqual(len(errors), 4)

    def test_threads_share_a_callable_and_a_variable(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.Variable(tf.zeros([10]))
            sess.run(v.initializer)
            add = sess.make_callable(v.assign_add(tf.ones([10]), use_locking=True))
            threads = [threading.Thread(target=lambda: [add() for _ in range(200)]) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            np.testing.assert_array_equal(sess.run(v), np.full(10, 800.0))

    def test_threads_build_graphs_of_their_own_at_once(self):
        listings = {}

        def build(number):
            with tf.Graph().as_default() as graph:
                x = tf.placeholder(tf.float32, [None, 3])
                for _ in range(5):
                    x = tf.layers.dense(x, 3, activation=tf.nn.relu)
                tf.train.AdamOptimizer().minimize(tf.losses.mean_squared_error(tf.zeros_like(x), x))
                listings[number] = graph.to_string()
        threads = [threading.Thread(target=build, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(listings.values())), 1)
        self.assertEqual(len(listings), 6)


if __name__ == "__main__":
    unittest.main()
