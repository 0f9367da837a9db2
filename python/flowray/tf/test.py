"""tf.test: unit tests of programs that build graphs. TestCase is unittest's with sessions and assertions about arrays."""

import atexit as _atexit
import os as _os
import shutil as _shutil
import sys as _sys
import tempfile as _tempfile
import unittest as _unittest
from unittest import mock  # noqa: F401

from flowray.tf._gradient_checker import compute_gradient, compute_gradient_error  # noqa: F401
from flowray.tf._test_case import TestCase  # noqa: F401

_temp_dir = None


def get_temp_dir():
    """A folder of this process's, which is removed when it ends."""
    global _temp_dir
    if _temp_dir is None:
        program = _os.path.basename(_sys.argv[0] or "test")
        _temp_dir = _tempfile.mkdtemp(prefix=(program[:-3] if program.endswith(".py") else program) or "test")
        owner = _os.getpid()  # a forked child leaves it alone
        _atexit.register(lambda: _os.getpid() == owner and _shutil.rmtree(_temp_dir, ignore_errors=True))
    return _temp_dir


def test_src_dir_path(relative_path):
    """The path of a file of the program's tests: below TEST_SRCDIR, or where the program lies."""
    root = _os.environ.get("TEST_SRCDIR") or _os.path.dirname(_os.path.abspath(_sys.argv[0] or "."))
    return _os.path.join(root, relative_path)


test_src_dir_path.__test__ = False  # it begins like a test


def main(argv=None):
    """Reads the program's flags and runs its tests: unittest.main."""
    from flowray.tf import flags
    _unittest.main(argv=flags.FLAGS(argv or _sys.argv))


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """False: there are processors only."""
    return False


def gpu_device_name():
    """The empty text: there is no such device."""
    return ""


def is_built_with_cuda():
    return False


is_built_with_gpu_support = is_built_with_rocm = is_built_with_xla = is_built_with_cuda


def disable_with_predicate(pred, skip_message):
    """Skips a test where `pred()` holds."""
    def decorate(test):
        def run(self, *arguments, **named):
            if pred():
                self.skipTest(skip_message)
            return test(self, *arguments, **named)
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run
    return decorate


def assert_equal_graph_def(actual, expected, checkpoint_v2=False, hash_table_shared_name=False):
    """AssertionError where two GraphDefs differ in more than the order of their nodes. Names that TensorFlow makes up for checkpoints'
    shards and tables are compared, too."""
    for name, message in (("actual", actual), ("expected", expected)):
        if not hasattr(message, "node"):
            raise TypeError("Expected tf.GraphDef for %s, got %s" % (name, type(message).__name__))
    nodes = [{node.name: str(node) for node in message.node} for message in (actual, expected)]
    if nodes[0] != nodes[1]:
        names = [name for name in sorted({*nodes[0], *nodes[1]}) if nodes[0].get(name) != nodes[1].get(name)]
        shown = "\n".join("%s:\n  actual: %s\n  expected: %s" % (name, nodes[0].get(name), nodes[1].get(name)) for name in names[:5])
        raise AssertionError("Graphs differ in %d nodes:\n%s" % (len(names), shown))


def create_local_cluster(num_workers, num_ps, protocol="grpc", worker_config=None, ps_config=None):
    """(servers of workers, of ps) in this process."""
    import socket

    from flowray.tf import train
    sockets = [socket.socket() for _ in range(num_workers + num_ps)]
    for one in sockets:
        one.bind(("localhost", 0))
    addresses = ["localhost:%d" % one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    cluster = train.ClusterSpec({job: those for job, those in (("worker", addresses[:num_workers]), ("ps", addresses[num_workers:]))
                                 if those})

    def servers(job, count, config):
        return [train.Server(cluster, job_name=job, task_index=i, protocol=protocol, config=config) for i in range(count)]
    return servers("worker", num_workers, worker_config), servers("ps", num_ps, ps_config)


class StubOutForTesting:
    """Puts other things in the places of attributes, and the old ones back."""

    def __init__(self):
        self._replaced = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.CleanUp()

    def __del__(self):
        self.CleanUp()

    def Set(self, parent, child_name, new_child):  # noqa: N802: TensorFlow's names
        old = parent.__dict__.get(child_name, getattr(parent, child_name)) if hasattr(parent, "__dict__") else getattr(parent, child_name)
        self._replaced.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    def SmartSet(self, obj, attr_name, new_attr):  # noqa: N802
        if not hasattr(obj, attr_name):
            raise AttributeError("Attribute not found.")
        self.Set(obj, attr_name, new_attr)

    def UnsetAll(self):  # noqa: N802
        while self._replaced:
            setattr(*self._replaced.pop())

    CleanUp = SmartUnsetAll = UnsetAll


class Benchmark:
    """What measures a program; a class below it is run by hand."""

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10, store_trace=False,
                         store_memory_usage=True, name=None, extras=None, mbs=0):
        """Runs a step often; {"wall_time": the median in seconds, "iters": how often, ...}."""
        import statistics
        import time
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict)
        times = []
        for _ in range(min_iters):
            begin = time.perf_counter()
            sess.run(op_or_tensor, feed_dict)
            times.append(time.perf_counter() - begin)
        results = {"iters": min_iters, "wall_time": statistics.median(times), "name": name or type(self).__name__,
                   "extras": dict(extras or {}, **{"wall_time_mean": statistics.fmean(times)}), "throughput": None}
        self.report_benchmark(results["iters"], None, results["wall_time"], None, results["extras"], results["name"])
        return results

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None, metrics=None):
        """Prints what was measured."""
        print("%s: wall_time %s s, iters %s" % (name or type(self).__name__, wall_time, iters))
