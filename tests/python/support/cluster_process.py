"""A program as a process of its own whose lines a test waits for: run by `python -m flowray`, or by TensorFlow as its version 1."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from two_systems import PYTHON_TESTS, QUIET, TENSORFLOW

OURS, THEIRS = "ours", "theirs"
HANGS_AFTER_S = 1000 if os.environ.get("FLOWRAY_NIGHTLY") else 100  # whole trainings at night
AS_VERSION_1 = """
import runpy, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.disable_resource_variables()
sys.modules["tensorflow"] = tf
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
RUNNERS = {OURS: [sys.executable, "-u", "-m", "flowray"], THEIRS: [TENSORFLOW, "-u", "-c", AS_VERSION_1]}


class Process:
    def __init__(self, make, program, *arguments):
        self.program = Path(program)
        environment = {**os.environ, **QUIET, "PYTHONPATH": os.environ["PYTHONPATH"] + os.pathsep + str(PYTHON_TESTS / "stand_ins")}
        self.error = open(f"{program}.{id(self)}.stderr", "w+", encoding="utf-8")
        self.process = subprocess.Popen([*RUNNERS[make], str(program), *arguments], cwd=self.program.parent, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.error)
        self.lines, self.seen, self.changed = [], 0, threading.Condition()
        self.is_over = False
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line)
                self.changed.notify_all()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def next(self, pattern):
        """The match of the next line, of those not looked at so far, that `pattern` describes."""
        def find():
            while self.seen < len(self.lines):
                self.seen += 1
                found = re.match(pattern, self.lines[self.seen - 1])
                if found:
                    return found
            return self.is_over

        with self.changed:
            found = self.changed.wait_for(find, HANGS_AFTER_S)
        if not isinstance(found, re.Match):
            raise AssertionError(f"{self.program.name} has not said {pattern!r} but\n{self.said()}")
        return found

    def said(self):
        self.error.seek(0)
        return "".join(self.lines[-20:]) + self.error.read()[-4000:]

    def wait(self):
        """Its status, and all that it has said."""
        status = self.process.wait(HANGS_AFTER_S)
        self.reader.join()
        self.error.seek(0)
        return status, "".join(self.lines), self.error.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def go_on(self):
        """Ends its wait for a line of input."""
        self.process.stdin.close()

    def end(self):
        self.kill()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()
        self.error.close()
