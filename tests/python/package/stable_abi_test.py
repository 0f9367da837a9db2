"""What the native module calls of Python is in its stable ABI, by which one wheel is for all versions from 3.12 on (docs/python.md)."""

import re
import shutil
import subprocess
import sysconfig
import unittest
from pathlib import Path

NATIVE = Path(__file__).resolve().parent.parent.parent.parent / "python" / "native"
LIMITED_API = "0x030C0000"
# In it since 3.12: the headers of earlier versions do not say so.
LATER = {"PyObject_Vectorcall", "PyObject_VectorcallMethod", "PyVectorcall_NARGS"}


@unittest.skipUnless(shutil.which("c++"), "no c++")
class StableAbiTest(unittest.TestCase):
    def test_the_native_module_calls_nothing_else(self):
        include = sysconfig.get_paths()["include"]
        done = subprocess.run(["c++", "-E", "-dD", f"-DPy_LIMITED_API={LIMITED_API}", f"-I{include}", "-x", "c++", "-"], input="#include <Python.h>\n",
                              capture_output=True, text=True, timeout=100, check=False)
        if done.returncode != 0:
            self.skipTest("no headers of Python: " + done.stderr)
        declared = set(re.findall(r"\b_?Py\w+", done.stdout)) | LATER
        self.assertIn("PyGILState_Ensure", declared)
        self.assertNotIn("PyGILState_Check", declared)
        for path in sorted(NATIVE.rglob("*.*")):
            text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
            self.assertEqual(sorted(set(re.findall(r"\b(_?Py[A-Z]\w*)\s*\(", text)) - declared), [], path)


if __name__ == "__main__":
    unittest.main()
