"""Sub-interpreters are refused, whether the main one has imported the package or not."""

import subprocess
import sys
import unittest

PROGRAM = """
import sys
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
for is_imported in (False, True):
    if is_imported:
        import flowray.tf
    made = interpreters.create()
    run(made, '''
try:
    import flowray
except ImportError as error:
    print(error, flush=True)
''')
    interpreters.destroy(made)
from flowray import tf
print(tf.Session().run(tf.constant(1.0) + 1))
"""


class SubInterpretersTest(unittest.TestCase):
    def test_they_are_refused_and_the_main_one_goes_on(self):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=200, check=False)
        lines = done.stdout.splitlines()
        self.assertEqual((done.returncode, done.stderr, len(lines)), (0, "", 3), done.stdout)
        for line in lines[:2]:
            self.assertRegex(line, "^flowray does not work in a sub-interpreter: import it in the main one")
        self.assertEqual(lines[2], "2.0")


if __name__ == "__main__":
    unittest.main()
