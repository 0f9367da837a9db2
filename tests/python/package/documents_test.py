"""The programs of the documents run by `python -m flowray`, unchanged."""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import documents

PYTHON_TESTS = Path(__file__).resolve().parent.parent


def code_of_document(lines):
    """The numbers of the lines that stand in blocks of code, as Markdown and reStructuredText have them."""
    numbers, language, is_indented = set(), None, False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            language = None if language is not None else line[3:].strip()
        elif line.startswith(".. code-block:: python"):
            is_indented = True
        elif is_indented and line and not line.startswith(" "):
            is_indented = False
        elif line.strip() and (is_indented or language in ("", "python", "python=")):
            numbers.add(number)
    return numbers


def ranges_of(program):
    yield program["document"], program["lines"]
    if "more" in program:
        yield from ranges_of(program["more"])


class DocumentsTest(unittest.TestCase):
    maxDiff = None

    def test_all_code_of_the_documents_is_in_the_table(self):
        for title in (documents.AVERAGING, documents.BEST_PRACTICES, documents.LENET_ACTOR, documents.DISTRIBUTED):
            with self.subTest(title):
                lines = documents.lines_of(title)
                if lines is None:
                    self.skipTest("the document is not there: " + title)
                ranges = [*documents.OTHER_LINES.get(title, []), *(one for program in documents.PROGRAMS.values()
                                                                   for of, them in ranges_of(program) if of == title for one in them)]
                code = code_of_document(lines)
                self.assertGreater(len(code), 50, title)
                self.assertEqual(sorted(code - {number for first, last in ranges for number in range(first, last + 1)}), [], title)

    def code_of(self, part):
        lines = documents.lines_of(part["document"])
        if lines is None:
            self.skipTest("the document is not there: " + part["document"])
        return "".join(textwrap.dedent("\n".join(lines[first - 1:last])) + "\n" for first, last in part["lines"])

    def write_program(self, folder, program):
        text = "# coding=utf-8\n" + program.get("prelude", "") + self.code_of(program)
        if "more" in program:
            text += self.code_of(program["more"])
        if "without" in program:
            text = text.replace(program["without"], "")
        for given, other in program.get("replaced", []):
            self.assertIn(given, text)
            text = text.replace(given, other)
        text += program.get("then", "")
        path = Path(folder) / "program.py"
        path.write_text(text, encoding="utf-8")
        return path

    def check(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = self.write_program(folder, program)
            command = [sys.executable, "-u", "-m", "flowray"] + ["--py2"] * program.get("python2", False) + [str(path)]
            environment = {**os.environ, "PYTHONPATH": os.environ["PYTHONPATH"] + os.pathsep + str(PYTHON_TESTS / "stand_ins")}
            started = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            output, error = self.wait_for(started, program)
            self.assertRegex(output, re.compile(program["prints"] + r"\Z"), error)
            self.assertTrue(re.match(program["prints"], output), output)
            if "fails" in program:
                self.assertRegex(error, program["fails"])
            elif "ends_after" not in program:
                self.assertEqual(started.returncode, 0, error)
                self.assertRegex(error, program.get("warns", "") + r"\Z")
                self.assertTrue(re.match(program.get("warns", r"\Z"), error), error)
            for name in program.get("files", []):
                self.assertTrue(any(file.startswith("events.out") for file in os.listdir(Path(folder) / name)))

    def wait_for(self, started, program):
        if "ends_after" not in program:
            return started.communicate(timeout=program.get("seconds", 100))
        # A server: it is ended once it has said what it says, or serves.
        said = started.stdout.readline() if program["ends_after"] else ""
        with self.assertRaises(subprocess.TimeoutExpired):
            started.wait(0.5)
        started.kill()
        output, error = started.communicate(timeout=100)
        return said + output, error


def add_tests():
    for name, program in documents.PROGRAMS.items():
        setattr(DocumentsTest, f"test_{name}", lambda self, program=program: self.check(program))


add_tests()

if __name__ == "__main__":
    unittest.main()
