"""flowray.ray in processes that do other things, too: children of multiprocessing, TensorFlow, gRPC, OpenMP."""

import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from two_systems import RAY, TENSORFLOW, has_module, output_of


def run(text, python=sys.executable, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return output_of([python, str(path), *arguments])


CHILDREN = """
import multiprocessing, os, sys
from flowray import ray

@ray.remote
def square(x):
    return x * x, os.getpid()

def child(queue):
    ray.init(num_cpus=1)
    results = ray.get([square.remote(i) for i in range(3)])
    queue.put(([value for value, _ in results], os.getpid() in {pid for _, pid in results}))
    ray.shutdown()

if __name__ == "__main__":
    method, has_runtime = sys.argv[1:]
    if has_runtime == "beside":
        ray.init(num_cpus=1)
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=child, args=(queue,)) for _ in range(2)]
    for one in children:
        one.start()
    print([queue.get(timeout=100) for _ in children])
    for one in children:
        one.join()
    print([one.exitcode for one in children], ray.get(square.remote(4))[0])
"""
TENSORFLOW_BESIDE = """
import sys
if sys.argv[1] == "ours first":
    from flowray import ray, tf
    import tensorflow as theirs
else:
    import tensorflow as theirs
    from flowray import ray, tf
print(int(theirs.reduce_sum(theirs.ones([2, 3]))))  # has started its threads

@ray.remote
class Network:
    def __init__(self):
        self.x = tf.Variable([1.0, 2.0])
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def value(self):
        return self.sess.run(2 * self.x).tolist()

ray.init(num_cpus=1)
network = Network.remote()
print(ray.get(network.value.remote()), ray.get(ray.remote(lambda: int(theirs.add(1, 2))).remote()))
print(int(theirs.add(3, 4)), tf.__name__, theirs.__name__)
"""
GRPC_BEFORE = """
import concurrent.futures
import grpc
from flowray import ray

server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
port = server.add_insecure_port("localhost:0")
server.start()
channel = grpc.insecure_channel("localhost:%d" % port)
grpc.channel_ready_future(channel).result(timeout=60)
ray.init(num_cpus=2)
print(ray.get([ray.remote(lambda x: 2 * x).remote(i) for i in range(4)]))
ray.shutdown()
channel.close()
server.stop(None)
print("end")
"""
OPENMP_BEFORE = """
import ctypes, os
from flowray import ray

def use_openmp():
    gomp, libc = ctypes.CDLL("libgomp.so.1"), ctypes.CDLL(None)
    gomp.GOMP_parallel(ctypes.cast(libc.abs, ctypes.c_void_p), None, 4, 0)
    return len(os.listdir("/proc/self/task")) > 1

print(use_openmp())
ray.init(num_cpus=2)
print(ray.get([ray.remote(use_openmp).remote() for _ in range(2)]), use_openmp())
"""


def has_openmp():
    return subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libgomp.so.1')"], capture_output=True, check=False).returncode == 0


class BesideTest(unittest.TestCase):
    def test_children_of_multiprocessing_have_runtimes_of_their_own(self):
        for method, has_runtime in (("fork", "alone"), ("spawn", "alone"), ("spawn", "beside"), ("forkserver", "beside")):
            with self.subTest(method=method, has_runtime=has_runtime):
                self.assertEqual(run(CHILDREN, sys.executable, method, has_runtime), "[([0, 1, 4], False), ([0, 1, 4], False)]\n[0, 0] 16\n")

    @unittest.skipUnless(has_openmp(), "no libgomp.so.1")
    def test_openmp_was_used_before(self):
        self.assertEqual(run(OPENMP_BEFORE), "True\n[True, True] True\n")

    @unittest.skipUnless(has_module(RAY + "/bin/python", "grpc"), "no gRPC in build/compare-venv (scripts/compare makes it)")
    def test_grpc_was_used_before(self):
        self.assertEqual(run(GRPC_BEFORE, RAY + "/bin/python"), "[0, 2, 4, 6]\nend\n")

    @unittest.skipUnless(has_module(TENSORFLOW, "tensorflow"), "no TensorFlow")
    def test_tensorflow_is_in_the_same_process(self):
        for order in ("ours first", "theirs first"):
            with self.subTest(order=order):
                self.assertEqual(run(TENSORFLOW_BESIDE, TENSORFLOW, order), "6\n[2.0, 4.0] 3\n7 flowray.tf tensorflow\n")


if __name__ == "__main__":
    unittest.main()
