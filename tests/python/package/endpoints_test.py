"""The table of endpoints: each name once, and what it names is there."""

import importlib.util
import unittest
from pathlib import Path

from flowray import tf
from flowray.tf import _endpoints

PYTHON = Path(__file__).resolve().parent.parent.parent.parent / "python"


def generator():
    specification = importlib.util.spec_from_file_location("generate_ops", PYTHON / "generate_ops.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class EndpointsTest(unittest.TestCase):
    def test_a_name_that_is_offered_twice_is_refused(self):
        with self.assertRaisesRegex(ValueError, "tf.image.psnr is offered twice"):
            list(_endpoints.rows("image _native.image:\n    psnr\nimage _functions:\n    psnr"))

    def test_two_things_under_one_name_are_refused_when_they_are_published(self):
        with self.assertRaisesRegex(ImportError, "tf.image.psnr is offered twice"):
            tf._publish("image.psnr", len)

    def test_a_row_says_what_its_module_calls_it(self):
        self.assertEqual(list(_endpoints.rows("tf _native:\n    mul=multiply add\nnn _native.nn:\n    relu")),
                         [("mul", "_native", "multiply"), ("add", "_native", "add"), ("nn.relu", "_native.nn", "relu")])

    def test_a_star_offers_all_that_a_module_has(self):
        rows = list(_endpoints.rows("image _native.image: *\n    transpose_image=transpose"))
        self.assertIn(("image.psnr", "_native.image", "psnr"), rows)
        self.assertEqual(rows[-1], ("image.transpose_image", "_native.image", "transpose"))
        with self.assertRaisesRegex(ValueError, "tf.image.psnr is offered twice"):
            list(_endpoints.rows("image _native.image: *\n    psnr"))

    def test_an_exclamation_mark_marks_one_of_a_stars_names(self):
        entries = _endpoints.entries("image _native.image: *\n    !psnr")
        self.assertEqual([entry for entry in entries if entry[0] == "image.psnr"], [("image.psnr", "_native.image", "psnr", "instead")])
        self.assertEqual([entry[3] for entry in entries if entry[0] == "image.total_variation"], ["star"])
        with self.assertRaisesRegex(ValueError, "tf.image.psnr is offered twice"):
            _endpoints.entries("image _native.image: *\n    !psnr=ssim")

    def test_a_recorded_name_is_replaced_only_where_the_table_says_so(self):
        recorded = {"unique": ["_generated.Unique"]}
        with self.assertRaisesRegex(ValueError, "tf.unique is offered twice: by _endpoints.py as _functions.unique, by endpoints.tsv as "
                                                "_generated.Unique; write !unique"):
            _endpoints.check_against(recorded, "tf _functions:\n    unique")
        _endpoints.check_against(recorded, "tf _functions:\n    !unique")

    def test_a_mark_that_replaces_nothing_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no row of endpoints.tsv offers tf.cond; take the ! out"):
            _endpoints.check_against({"unique": ["_generated.Unique"]}, "tf _flow:\n    !cond")

    def test_what_is_recorded_is_not_written_again(self):
        recorded = {"nn.relu": ["_native.nn.relu", "_generated.Relu"]}
        with self.assertRaisesRegex(ValueError, "endpoints.tsv has it as _native.nn.relu, too; take it out of _endpoints.py"):
            _endpoints.check_against(recorded, "nn _native.nn:\n    relu")
        _endpoints.check_against(recorded, "nn _native.nn: *")

    def test_two_ops_under_one_recorded_name_are_refused(self):
        with self.assertRaisesRegex(ValueError, "tf.mul is offered twice in endpoints.tsv: _generated.Mul and face of Multiply"):
            generator().recorded_providers({"Mul": {"x,y": ["mul"]}}, {}, [("Multiply", ["mul"], {})])

    def test_all_that_is_recorded_and_written_is_offered_once(self):
        generate = generator()
        recorded = generate.recorded_providers(*generate.read_endpoints(PYTHON / "endpoints.tsv"))
        self.assertGreater(len(recorded), 600)
        _endpoints.check_against(recorded)


if __name__ == "__main__":
    unittest.main()
