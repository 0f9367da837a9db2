"""What help() says: every public function has a docstring, and one of the language says what the public header says."""

import importlib.util
import inspect
import re
import unittest
from pathlib import Path

from flowray import _native, tf
from flowray.tf import _endpoints, _generated

ROOT = Path(__file__).resolve().parent.parent.parent.parent
HEADERS = ROOT / "include" / "flowray" / "tf"

HEADER = """
#pragma once
/// Of the file.

#pragma GCC visibility push(default)

namespace flowray::tf {

/// First: "quoted \\ {",
/// and a second line.
Tensor first(const Input& x, const NameOption& options = {});
/// The same of two.
Tensor first(const Input& x, const Input& y);
Tensor without(const Input& x);
// Not for others.
Tensor plain(const Input& x);

/// A struct.
struct Options {
  /// Of a field.
  std::string name = {};
};

/// A class.
class Queue : public Base {
 public:
  /// A constructor.
  explicit Queue(int64_t capacity);
  /// A method.
  std::vector<Tensor> dequeue(const Input& n,
                              const NameOption& options = {}) const;
};

namespace nn {
/// Of a template.
template <class F>
Tensor cond(const F& f) {
  /// Not a declaration.
  return f();
}
}  // namespace nn

/// Behind an inner namespace.
Operation last();

}  // namespace flowray::tf
"""


def reader():
    specification = importlib.util.spec_from_file_location("read_docstrings", ROOT / "python" / "read_docstrings.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def public_functions():
    """(endpoint, function) of all that the tables offer."""
    names = {endpoint for endpoint, _, _ in _endpoints.rows()} | set(_generated.ENDPOINTS)
    names.update(endpoint for endpoints in _generated.FUNCTIONS.values() for endpoint in endpoints)
    for endpoint in sorted(name for name in names if name.partition(".")[0] not in tf._MODULES):  # as _publish
        value = tf
        for part in endpoint.split("."):
            value = getattr(value, part)
        if callable(value) and not inspect.isclass(value):
            yield endpoint, value


def words_of(function):
    """The docstring without the line of the signature that nanobind writes above it."""
    text = function.__doc__ or ""
    return text.partition("\n\n")[2] if text.startswith(function.__name__ + "(") else text


class DocstringsTest(unittest.TestCase):
    def test_every_public_function_has_one(self):
        functions = list(public_functions())
        self.assertGreater(len(functions), 900)
        self.assertEqual([endpoint for endpoint, function in functions if not words_of(function).strip()], [])

    def test_a_function_of_the_language_says_what_stands_above_its_declaration(self):
        for endpoint, header, declared in [("image.psnr", "image", "psnr"), ("layers.dense", "layers", "dense"),
                                           ("reduce_sum", "math", "reduce_sum"), ("gradients", "gradients", "gradients"),
                                           ("nn.conv2d", "nn", "conv2d")]:
            text = (HEADERS / (header + ".h")).read_text(encoding="utf-8")
            above = re.search(r"((?:^ *///.*\n)+)^[\w:<>]+ %s\(" % declared, text, re.M).group(1)
            function = tf
            for part in endpoint.split("."):
                function = getattr(function, part)
            self.assertEqual(words_of(function), "\n".join(line.strip()[4:] for line in above.splitlines()), endpoint)

    def test_methods_say_it_too(self):
        text = (HEADERS / "queue.h").read_text(encoding="utf-8")
        self.assertIn("  /// int32: how many elements are in it.\n  Tensor size(", text)
        self.assertIn("int32: how many elements are in it.", _native.QueueBase.size.__doc__)

    def test_comments_are_found_by_the_name_of_what_stands_below_them(self):
        self.assertEqual(list(reader().comments_of(HEADER)), [
            ("flowray::tf.first", 'First: "quoted \\ {",\nand a second line.'), ("flowray::tf.first", "The same of two."),
            ("flowray::tf.Options", "A struct."), ("flowray::tf.Queue", "A class."), ("flowray::tf.Queue.Queue", "A constructor."),
            ("flowray::tf.Queue.dequeue", "A method."), ("flowray::tf.nn.cond", "Of a template."),
            ("flowray::tf.last", "Behind an inner namespace.")])

    def test_text_is_written_as_a_literal_of_cpp(self):
        self.assertEqual(reader().literal('a "b" \\\nc'), '"a \\"b\\" \\\\\\nc"')


if __name__ == "__main__":
    unittest.main()
