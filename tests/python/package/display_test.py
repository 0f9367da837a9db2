"""What notebooks show of graphs, numbers, pictures, references and actors."""

import base64
import unittest
import xml.etree.ElementTree

import numpy as np

import flowray
from flowray import ray, tf

SVG = "{http://www.w3.org/2000/svg}"


def boxes_of(svg):
    """{the text of a box's tip: its box}"""
    return {group.find(SVG + "title").text: group.find(SVG + "rect").attrib
            for group in xml.etree.ElementTree.fromstring(svg).iter(SVG + "g")}


def decoded(png):
    """The pixels, as another decoder reads them."""
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(tf.image.decode_png(png))


class GraphsTest(unittest.TestCase):
    def test_a_graph_is_drawn_from_what_is_fed_down(self):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [None], name="x")
            tf.multiply(tf.square(x, name="s"), x, name="product")
        svg = graph._repr_svg_()
        self.assertEqual(flowray.display.graph(graph)._repr_svg_(), svg)
        boxes = boxes_of(svg)
        self.assertEqual(list(boxes), ["x = Placeholder()", "s = Square(x:0)", "product = Mul(s:0, x:0)"])
        rows = [int(box["y"]) for box in boxes.values()]
        self.assertEqual(sorted(set(rows)), rows)
        self.assertEqual(svg.count("<path"), 3)

    def test_a_large_graph_is_drawn_by_its_name_scopes(self):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [None], name="x")
            for i in range(5):
                with tf.name_scope("layer_%d" % i):
                    for _ in range(30):
                        x = tf.square(x)
        self.assertEqual(list(boxes_of(graph._repr_svg_())), ["x = Placeholder()", *["layer_%d" % i for i in range(5)]])

    def test_a_graph_without_operations_is_a_drawing(self):
        self.assertEqual(boxes_of(tf.Graph()._repr_svg_()), {})


class NumbersTest(unittest.TestCase):
    def test_curves_have_a_line_each(self):
        svg = flowray.display.curves({"loss": [4, 2, float("nan"), 0], "a<b": [1.0, 3.0]})._repr_svg_()
        root = xml.etree.ElementTree.fromstring(svg)
        lines = [line.attrib["points"].split() for line in root.iter(SVG + "polyline")]
        self.assertEqual([len(points) for points in lines], [3, 2])
        heights = [float(point.split(",")[1]) for point in lines[0]]
        self.assertEqual(heights, [10.0, 130.0, 250.0])  # 4, 2 and 0 of the range from 0 to 4
        self.assertIn("a<b", [text.text for text in root.iter(SVG + "text")])
        flowray.display.curves({})
        flowray.display.curves({"same": [1, 1]})

    def test_images_stand_in_rows(self):
        images = np.zeros((3, 2, 2), np.uint8)
        images[1] = [[10, 20], [30, 40]]
        pixels = decoded(flowray.display.images(images, columns=2, scale=1)._repr_png_())[:, :, 0]
        self.assertEqual(pixels.tolist(), [[0, 0, 255, 10, 20, 255], [0, 0, 255, 30, 40, 255], [255] * 6,
                                           [0, 0, 255, 255, 255, 255], [0, 0, 255, 255, 255, 255], [255] * 6])

    def test_numbers_become_grey_from_the_least_to_the_greatest(self):
        rows = np.array([[-1.0, 0.0, 1.0, float("nan")]])  # a row of a square's numbers
        pixels = decoded(flowray.display.images(rows, scale=1)._repr_png_())[:2, :2, 0]
        self.assertEqual(pixels.tolist(), [[0, 128], [255, 128]])

    def test_colours_stay(self):
        image = np.arange(12, dtype=np.uint8).reshape(1, 2, 2, 3)
        np.testing.assert_array_equal(decoded(flowray.display.images(image, scale=1)._repr_png_())[:2, :2], image[0])

    def test_what_is_no_picture_is_refused(self):
        for shape in ((3,), (2, 3), (1, 2, 2, 5), (0, 2, 2)):
            with self.assertRaisesRegex(ValueError, r"images\(\) shows arrays"):
                flowray.display.images(np.zeros(shape))

    def test_an_array_in_a_notebook(self):
        text = flowray.display._array_as_html(np.array(["<b>", "c"]))
        self.assertIn("array [2] of &lt;U3, 24 bytes", text)
        self.assertIn("&lt;b&gt;", text)
        text = flowray.display._array_as_html(np.arange(100.0).reshape(10, 10))
        png = base64.b64decode(text.partition("base64,")[2].partition("'")[0])
        self.assertEqual(decoded(png).shape, (160, 160, 1))


class ReferencesTest(unittest.TestCase):
    def test_references_and_actors(self):
        @ray.remote
        class Counter:
            def add(self, x):
                return x

        with ray.init(num_cpus=1):
            ref = ray.put(1)
            self.assertEqual(ref._repr_html_(), "<code>ObjectRef(%s)</code>: its value is there" % ref.hex())
            self.assertEqual(Counter.remote()._repr_html_(), "an actor of the class <code>Counter</code>: <code>add</code>")
        self.assertIn("of a runtime that has ended", ref._repr_html_())


if __name__ == "__main__":
    unittest.main()
