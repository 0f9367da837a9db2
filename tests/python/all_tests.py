"""Runs the tests of the folders beside it; the last line is "N passed, N failed, N skipped". Patterns choose some by their names.

All of them: each file in a process of its own, two at once. One that crashes or hangs costs no other file its tests, and none sees what
another has left behind. With patterns: in this process, as importing all files 77 times would take longer than most tests.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = sorted({path.parent for path in HERE.glob("*/*_test.py")})  # on the path: so are those of their tests that workers import
FILES_AT_ONCE = 2
LONGEST = ("keras_programs_test", "both_ways_test", "ray_programs_test", "object_checkpoint_test", "eager_test")  # begin first: all wait for the last
TIME_LIMIT_S = 7200 if os.environ.get("FLOWRAY_NIGHTLY") else 1200  # of one file, after which it counts as hung
COUNTS = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped$")
RUNNING, RUNNING_LOCK = [], threading.Lock()  # processes


class Counter(unittest.TextTestResult):
    """Shows nothing for a test that has passed."""

    num_passed = 0

    def addSuccess(self, test):  # noqa: N802
        super().addSuccess(test)
        self.num_passed += 1


def run_here(names, patterns):
    """The tests of these files, in this process; returns how many failed."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and what tests start would, too
    loader = unittest.TestLoader()
    if patterns:
        loader.testNamePatterns = [pattern if "*" in pattern else f"*{pattern}*" for pattern in patterns]
    suite = loader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=Counter, verbosity=0).run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped) + len(result.expectedFailures)
    print(f"{result.num_passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return failed


def run_in_process(name):
    """(what it printed, seconds, why it did not come to its end or None)."""
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, __file__, "--file", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    why = None
    with RUNNING_LOCK:
        RUNNING.append(process)
    try:
        output, _ = process.communicate(timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        kill(process)
        output = "" if process.stdout.closed else "(what it has printed is lost)\n"
        why = f"{name} failed: it did not end within {TIME_LIMIT_S} s"
    finally:
        with RUNNING_LOCK:
            RUNNING.remove(process)
    lines = output.splitlines()
    counts = COUNTS.match(lines[-1]) if lines else None
    if why is None and counts is None:
        why = f"{name} failed: its process ended with status {process.returncode} before it had counted its tests"
    elif why is None and process.returncode != (1 if int(counts[2]) else 0):
        why = f"{name} failed: its process ended with status {process.returncode} behind its last test"
    return output, time.monotonic() - started, why


def kill(process):
    """With what it has started, unless that has left its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_all(names):
    """The tests of each file, in a process; returns how many failed."""
    total, times = [0, 0, 0], []
    pool = ThreadPoolExecutor(FILES_AT_ONCE)
    try:
        first = [name for name in LONGEST if name in names]
        running = {pool.submit(run_in_process, name): name for name in first + [name for name in names if name not in first]}
        for done in as_completed(running):
            output, seconds, why = done.result()
            times.append((seconds, running[done]))
            shown, counts = output.splitlines(), [0, 1, 0]
            if why is None:
                counts = [int(number) for number in COUNTS.match(shown.pop()).groups()]
            else:
                shown.append(why)
            total = [before + more for before, more in zip(total, counts)]
            if counts[1]:
                print(f"---- {running[done]}", *shown, sep="\n", flush=True)
    finally:  # on Ctrl-C, too, which they do not hear
        pool.shutdown(wait=False, cancel_futures=True)
        with RUNNING_LOCK:
            left = list(RUNNING)
        for process in left:
            kill(process)
    print("longest: " + ", ".join(f"{name} {seconds:.0f} s" for seconds, name in sorted(times, reverse=True)[:8]))
    print("{} passed, {} failed, {} skipped".format(*total), flush=True)
    return total[1]


def main():
    names = sorted(path.stem for folder in FOLDERS for path in folder.glob("*_test.py"))
    if len(set(names)) < len(names):
        raise SystemExit("tests/python: two files of tests have one name: " + " ".join(names))
    if sys.argv[1:2] == ["--file"]:
        failed = run_here(sys.argv[2:3], [])
    elif sys.argv[1:]:
        failed = run_here(names, sys.argv[1:])
    else:
        failed = run_all(names)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
