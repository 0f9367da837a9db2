"""Runs the tests of the folders beside it in one process; the last line is "N passed, N failed, N skipped"."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = sorted({path.parent for path in HERE.glob("*/*_test.py")})  # on the path: so are those of their tests that workers import


class Counter(unittest.TextTestResult):
    """Shows nothing for a test that has passed."""

    num_passed = 0

    def addSuccess(self, test):  # noqa: N802
        super().addSuccess(test)
        self.num_passed += 1


def main():
    loader = unittest.TestLoader()
    if sys.argv[1:]:
        loader.testNamePatterns = [pattern if "*" in pattern else f"*{pattern}*" for pattern in sys.argv[1:]]
    names = sorted(path.stem for folder in FOLDERS for path in folder.glob("*_test.py"))
    if len(set(names)) < len(names):
        raise SystemExit("tests/python: two files of tests have one name: " + " ".join(names))
    suite = loader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=Counter, verbosity=0).run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped) + len(result.expectedFailures)
    print(f"{result.num_passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
