"""The Python that the documents show runs as it stands, block after block of a page in one program."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
# How many of a page's blocks are programs; those behind them need what the page tells of. The last line that they print.
PAGES = {
    "README.md": (1, r"\{'Variable': array\(\[0\.\d+\], dtype=float32\), 'Variable_1': array\(\[0\.\d+\], dtype=float32\)\}"),
    "docs/python.md": (4, r"\[\{'Variable': array\(\[0\.6\d*\], dtype=float32\)\}, \{'Variable': array\(\[0\.6\d*\], dtype=float32\)\}\]"),
    "docs/keras.md": (1, r"0\.\d+"),
    "docs/datasets.md": (1, r"\[2\.0, 1\.0\]"),
    "docs/python-tensorflow.md": (1, None),
    "docs/python-actors.md": (1, "19"),
}


class PagesTest(unittest.TestCase):
    def test_programs_of_the_pages_run(self):
        for page, (number, last) in PAGES.items():
            blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
            self.assertGreaterEqual(len(blocks), number, page)
            with self.subTest(page=page), tempfile.TemporaryDirectory() as folder:
                program = Path(folder) / "program.py"
                program.write_text("\n".join(blocks[:number]), encoding="utf-8")
                done = subprocess.run([sys.executable, "-m", "flowray", str(program)], capture_output=True, text=True, timeout=200,
                                      check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                if last is not None:
                    self.assertRegex(done.stdout.splitlines()[-1], "^%s$" % last)


if __name__ == "__main__":
    unittest.main()
