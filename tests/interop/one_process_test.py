"""TensorFlow and Flowray's shared libraries in one process, whichever comes first: each computes and serves beside the other."""

import os
import subprocess
import sys
import tempfile
import unittest

from tensorflow_client import FLOWRAY, HERE

LIBRARIES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(FLOWRAY))), "lib")
INCLUDE = os.path.join(HERE, "..", "..", "include")


class OneProcessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(f"{LIBRARIES}/libflowray.so"):
            raise unittest.SkipTest("libflowray.so is not built (cmake --build build/release --target flowray-shared)")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.plugin = f"{folder.name}/plugin.so"
        compiler = os.environ.get("CXX", "c++")
        flags = ["-std=c++20", "-O1", "-shared", "-fPIC", f"-I{INCLUDE}", f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}"]
        subprocess.run([compiler, *flags, f"{HERE}/one_process_plugin.cpp", "-lflowray", "-o", cls.plugin], check=True)

    def run_in_order(self, order):
        command = [sys.executable, f"{HERE}/one_process.py", order, self.plugin]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
        self.assertEqual((done.returncode, done.stdout.strip().splitlines()[-1:]), (0, ["all is right"]), done.stdout)

    def test_tensorflow_first(self):
        self.run_in_order("tensorflow-first")

    def test_flowray_first(self):
        self.run_in_order("flowray-first")


if __name__ == "__main__":
    unittest.main()
