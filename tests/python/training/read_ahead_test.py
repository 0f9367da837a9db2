"""Threads of datasets that call the program's functions, and the program's end."""

import subprocess
import sys
import textwrap
import unittest

PROGRAM = """
    import sys, threading
    from flowray import tf
    second = threading.Event()
    def slow(x):
        if x > 0:
            second.set()
            threading.Event().wait(0.3)  # the end finds it in the middle
        return x
    dataset = tf.data.Dataset.range(200).map(lambda x: tf.py_func(slow, [x], tf.int64)).prefetch(2)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    session = tf.Session()
    print(session.run(element), flush=True)
    second.wait()
    if "close" in sys.argv:
        session.close()
    """


class ReadAheadTest(unittest.TestCase):
    def test_the_program_ends_while_its_function_is_called(self):
        for how in ("leave", "close"):
            with self.subTest(how=how):
                done = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM), how], capture_output=True, text=True, timeout=100)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0\n", ""))


if __name__ == "__main__":
    unittest.main()
