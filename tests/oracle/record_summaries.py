#!/usr/bin/env python3
"""Records the messages of TensorFlow's summary ops, as tests/golden/summaries.txt: a case and its bytes a line.

Usage: record_summaries.py
The same cases are in tests/ops/file/summary_test.cpp, by name.
"""

import os

from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

ops = tf.raw_ops


def scalar(tag, value, dtype=tf.float32):
    return ops.ScalarSummary(tags=tag, values=tf.constant(value, dtype))


def histogram(values, dtype=tf.float32):
    return ops.HistogramSummary(tag="h", values=tf.constant(values, dtype))


def image(values, max_images=3, **attrs):
    return ops.ImageSummary(tag="i", tensor=values, max_images=max_images, **attrs)


def audio(values, rate, max_outputs=3):
    return ops.AudioSummaryV2(tag="a", tensor=tf.constant(values, tf.float32), sample_rate=rate, max_outputs=max_outputs)


TEXT = tf.SummaryMetadata(plugin_data=tf.SummaryMetadata.PluginData(plugin_name="text", content=b"\x00\xff")).SerializeToString()
PIXELS = np.array([-1, 0.5, 1, np.nan], np.float32).reshape(1, 2, 2, 1)
SOUND = [[0, 0.5, -0.5, 1, -1, 2, 1e-5]]

CASES = {
    "scalar": lambda: scalar("a", 1.5),
    "scalar_zero": lambda: scalar("a", 0.0),
    "scalar_double": lambda: scalar("a", 0.1, tf.float64),
    "scalar_half": lambda: scalar("a", 1.5, tf.float16),
    "scalars": lambda: scalar(["a", "b"], [1, -2], tf.int64),
    "histogram": lambda: histogram([1, 2, -3, 0, 1e-20, 1e30, -1e-15, 1]),
    "histogram_ints": lambda: histogram([1, 2, 3, 100], tf.int32),
    "histogram_half": lambda: histogram([0.5, -0.5], tf.bfloat16),
    "histogram_empty": lambda: histogram([]),
    "merge": lambda: ops.MergeSummary(inputs=[scalar("a", 1.0), tf.stack([scalar("b", 2.0), histogram([3.0])])]),
    "tensor": lambda: ops.TensorSummaryV2(tag="t", tensor=tf.constant([[1.0, 2], [3, 4]]), serialized_summary_metadata=TEXT),
    "tensor_strings": lambda: ops.TensorSummaryV2(tag="t", tensor=tf.constant(["a", ""]), serialized_summary_metadata=TEXT),
    "tensor_bad_metadata": lambda: ops.TensorSummaryV2(tag="t", tensor=tf.constant([1, 1]), serialized_summary_metadata=b"\xff"),
    "tensor_of_node": lambda: ops.TensorSummary(tensor=tf.constant([1.0, 2]), description="d", labels=["l"], name="node"),
    "image": lambda: image(PIXELS),
    "image_positive": lambda: image(np.abs(PIXELS) * 3, max_images=1),
    "image_bytes": lambda: image(np.arange(48, dtype=np.uint8).reshape(2, 2, 3, 4)),
    "images": lambda: image(np.linspace(-2, 1, 90).reshape(5, 2, 3, 3).astype(np.float32), max_images=2),
    "image_half": lambda: image(np.linspace(-1, 1, 6).reshape(1, 2, 3, 1).astype(np.float16)),
    "image_double": lambda: image(np.linspace(-1, 1, 6).reshape(1, 2, 3, 1)),
    "image_double_below_a_byte": lambda: image(np.array([3, 208 / 85 - 1e-9]).reshape(1, 1, 2, 1)),
    "image_zero": lambda: image(np.zeros((1, 2, 2, 1), np.float32)),
    "image_bad_color": lambda: image(PIXELS, bad_color=tf.make_tensor_proto(np.array([7], np.uint8))),
    "audio": lambda: audio(SOUND, 16000.0, max_outputs=1),
    "audio_stereo": lambda: audio(np.repeat(np.reshape(SOUND, (1, 7, 1)), 2, 2), 8000.6),
}


def main():
    lines = []
    for name, build in CASES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            lines.append(f"{name} {session.run(build()).hex()}\n")
    if write_if_changed(os.path.join(GOLDEN, "summaries.txt"), "".join(lines)):
        print("summaries.txt")


if __name__ == "__main__":
    main()
