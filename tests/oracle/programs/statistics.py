"""Counts, spreads, histograms, means of segments."""

from programs import program
from tensorflow_v1 import tf


@program
def nonzero_counts():
    x = tf.placeholder(tf.float32, [2, None, 4], name="x")
    tf.count_nonzero(x)
    tf.count_nonzero(x, 1)
    tf.count_nonzero(x, axis=[0, -1], keepdims=True, dtype=tf.int32, name="named")
    tf.count_nonzero(tf.placeholder(tf.string, [None], name="words"))
    tf.count_nonzero(tf.placeholder(tf.bool, [3], name="flags"))
    tf.count_nonzero(x, reduction_indices=0)


@program
def spreads():
    x = tf.placeholder(tf.float32, [2, None, 4], name="x")
    tf.math.reduce_variance(x)
    tf.math.reduce_std(x)
    tf.math.reduce_variance(x, 1, keepdims=True)
    tf.math.reduce_std(x, axis=[0, 2], name="named")


@program
def histograms():
    x = tf.placeholder(tf.float32, [None], name="x")
    tf.histogram_fixed_width(x, [0.0, 5.0])
    tf.histogram_fixed_width(x, [0.0, 5.0], nbins=5, dtype=tf.int64, name="named")
    tf.histogram_fixed_width_bins(x, [0.0, 5.0], nbins=5)
    tf.histogram_fixed_width_bins(tf.placeholder(tf.float32, [2, 3], name="table"), [0.0, 5.0], name="bins")


@program
def segment_means():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    ids = tf.placeholder(tf.int32, [None], name="ids")
    tf.math.unsorted_segment_mean(x, ids, 4)
    tf.unsorted_segment_sqrt_n(x, ids, 4, name="named")
    tf.unsorted_segment_mean(x, [0, 1, 0], tf.placeholder(tf.int32, [], name="number"))


@program
def accumulated_sums():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    tf.accumulate_n([x, x])
    tf.accumulate_n([x, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], name="named")
    tf.accumulate_n([x])
    tf.accumulate_n([x], name="alone")
    tf.accumulate_n([x, tf.placeholder(tf.float32, [None, 3], name="open")], shape=[2, 3])


@program
def special_functions():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    tf.lbeta(x)
    tf.math.lbeta([1.0, 2.0], name="named")
    tf.log_sigmoid(x)
    tf.math.log_sigmoid(x, name="log_sigmoid")
    tf.scalar_mul(2.0, x)
    tf.scalar_mul(tf.placeholder(tf.float32, [], name="factor"), x, name="scaled")
    tf.lbeta(tf.placeholder(tf.float32, name="of_any_rank"))


@program
def saturated_casts():
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.saturate_cast(x, tf.uint8)
    tf.saturate_cast(x, tf.float64, name="named")
    tf.saturate_cast(tf.placeholder(tf.int32, [2], name="numbers"), tf.int8)
    tf.saturate_cast(tf.placeholder(tf.uint8, [2], name="bytes"), tf.int8)
    tf.saturate_cast(x, tf.float16)
    tf.saturate_cast(x, tf.int32)
    tf.saturate_cast(tf.placeholder(tf.float16, [2], name="halves"), tf.int16)


@program
def second_derivatives():
    x = tf.placeholder(tf.float32, [3], name="x")
    tf.hessians(tf.reduce_sum(x * x * x), x)
    w = tf.placeholder(tf.float32, [2, 2], name="w")
    tf.hessians([tf.reduce_sum(w * w)], [w], name="curvature")
