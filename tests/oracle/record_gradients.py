#!/usr/bin/env python3
"""Records the nodes that real TensorFlow's gradient functions make, as tests/golden/gradients/<case>.txt.

Usage: record_gradients.py [WORD...]   only cases whose name contains one of the words; prints the names it wrote.

A case is a graph with a node `y` whose gradient is asked for and placeholders `g`, `g_1`, ... for the gradients of its
outputs; one that is missing stands for an output without gradient. Nodes named grad/... are those that the gradient
function of y's op makes inside the name scope `grad`. The listing ends with the line `returns: NODE none ...`: what the
function returned, input by input. IndexedSlices are made dense there as tf.convert_to_tensor does it.
"""

import os
import sys
import warnings

from tensorflow.python.framework import ops

from listing import listing
from tensorflow_v1 import GOLDEN, tf, write_if_changed

FOLDER = os.path.join(GOLDEN, "gradients")
CASES = {}
warnings.filterwarnings("ignore")


def case(function):
    CASES[function.__name__] = function
    return function


def x_of(*dims, dtype=tf.float32, name="x"):
    return tf.placeholder(dtype, dims, name=name)


def unknown(dtype=tf.float32, name="x"):
    return tf.placeholder(dtype, name=name)


def pieces(count, *dims):
    return [x_of(*dims, name=f"x{i}") for i in range(count)]


raw = tf.raw_ops

# ---- constants and views


@case
def fill():
    raw.Fill(dims=tf.constant([2, 3], name="dims"), value=x_of(name="value"), name="y")


@case
def fill_dims_at_run_time():
    raw.Fill(dims=x_of(None, dtype=tf.int32, name="dims"), value=x_of(name="value"), name="y")


@case
def identity():
    raw.Identity(input=x_of(2), name="y")


@case
def identity_n():
    raw.IdentityN(input=[x_of(2, name="x0"), x_of(3, name="x1")], name="y")


@case
def placeholder_with_default():
    raw.PlaceholderWithDefault(input=x_of(2), shape=[None], name="y")


@case
def reshape_static():
    raw.Reshape(tensor=x_of(2, 6), shape=tf.constant([3, 4], name="shape"), name="y")


@case
def reshape_one_unknown():
    raw.Reshape(tensor=x_of(None, 784), shape=tf.constant([-1, 28, 28, 1], name="shape"), name="y")


@case
def reshape_two_unknown():
    raw.Reshape(tensor=x_of(None, None), shape=tf.constant([-1], name="shape"), name="y")


@case
def reshape_unknown_and_zero():
    raw.Reshape(tensor=x_of(None, 0), shape=tf.constant([-1], name="shape"), name="y")


@case
def reshape_unknown_rank():
    raw.Reshape(tensor=unknown(), shape=tf.constant([-1], name="shape"), name="y")


@case
def expand_dims_static():
    raw.ExpandDims(input=x_of(2, 3), axis=tf.constant(1, name="dim"), name="y")


@case
def expand_dims_unknown():
    raw.ExpandDims(input=x_of(None, 3), axis=tf.constant(-1, name="dim"), name="y")


@case
def squeeze_static():
    raw.Squeeze(input=x_of(2, 1, 3, 1), axis=[1], name="y")


@case
def squeeze_unknown():
    raw.Squeeze(input=x_of(None, 1), axis=[], name="y")


# ---- data movement


@case
def transpose_static():
    raw.Transpose(x=x_of(2, 3, 4), perm=tf.constant([2, 0, 1], name="perm"), name="y")


@case
def transpose_perm_at_run_time():
    raw.Transpose(x=x_of(2, None), perm=x_of(None, dtype=tf.int64, name="perm"), name="y")


@case
def pack():
    raw.Pack(values=pieces(3, 2, None), axis=0, name="y")


@case
def pack_axis_1():
    raw.Pack(values=pieces(2, 2, 3), axis=1, name="y")


@case
def unpack():
    raw.Unpack(value=x_of(3, 2), num=3, axis=0, name="y")


@case
def unpack_axis_minus_1():
    raw.Unpack(value=x_of(2, None, 2), num=2, axis=-1, name="y")


@case
def concat_v2_static():
    raw.ConcatV2(values=[x_of(2, 3, name="x0"), x_of(2, 4, name="x1")], axis=tf.constant(1, name="axis"), name="y")


@case
def concat_v2_negative_axis():
    raw.ConcatV2(values=[x_of(2, 3, name="x0"), x_of(2, 4, name="x1")], axis=tf.constant(-1, name="axis"), name="y")


@case
def concat_v2_unknown():
    raw.ConcatV2(values=[x_of(None, 3, name="x0"), x_of(2, 3, name="x1"), x_of(None, 3, name="x2")],
                 axis=tf.constant(0, name="axis"), name="y")


@case
def concat_v2_second_unknown():
    raw.ConcatV2(values=[x_of(2, 3, name="x0"), x_of(4, 3, name="x1"), x_of(None, 3, name="x2")],
                 axis=tf.constant(0, name="axis"), name="y")


@case
def concat_v2_unknown_rank():
    raw.ConcatV2(values=[unknown(name="x0"), unknown(name="x1")], axis=tf.constant(0, name="axis"), name="y")


@case
def concat_v2_axis_at_run_time():
    raw.ConcatV2(values=[x_of(2, 3, name="x0"), x_of(2, 3, name="x1")], axis=x_of(dtype=tf.int32, name="axis"), name="y")


@case
def concat_v2_seventeen():
    raw.ConcatV2(values=pieces(17, 2, 3), axis=tf.constant(1, name="axis"), name="y")


@case
def concat_v2_seventeen_unknown():
    raw.ConcatV2(values=pieces(17, None, 3), axis=tf.constant(0, name="axis"), name="y")


@case
def concat():
    raw.Concat(concat_dim=tf.constant(0, name="axis"), values=[x_of(2, 3, name="x0"), x_of(4, 3, name="x1")], name="y")


@case
def split():
    raw.Split(axis=tf.constant(1, name="axis"), value=x_of(2, 6), num_split=3, name="y")


@case
def split_v():
    raw.SplitV(value=x_of(2, 6), size_splits=tf.constant([2, 4], name="sizes"), axis=tf.constant(1, name="axis"),
               num_split=2, name="y")


@case
def slice_static():
    raw.Slice(input=x_of(4, 5), begin=tf.constant([1, 2], name="begin"), size=tf.constant([2, 3], name="size"), name="y")


@case
def slice_size_minus_1():
    raw.Slice(input=x_of(None, 5), begin=tf.constant([1, 2], name="begin"), size=tf.constant([-1, 3], name="size"),
              name="y")


@case
def slice_int64():
    raw.Slice(input=x_of(4, 5), begin=tf.constant([1, 2], tf.int64, name="begin"),
              size=tf.constant([2, 3], tf.int64, name="size"), name="y")


@case
def slice_unknown_rank():
    raw.Slice(input=unknown(), begin=tf.constant([1, 2], name="begin"), size=tf.constant([2, 3], name="size"), name="y")


def strided(x, begin, end, strides, **masks):
    raw.StridedSlice(input=x, begin=begin, end=end, strides=strides, name="y", **masks)


@case
def strided_slice_static():
    strided(x_of(4, 5), tf.constant([1, 0], name="begin"), tf.constant([3, 5], name="end"),
            tf.constant([1, 2], name="strides"), end_mask=2)


@case
def strided_slice_shrink_unknown():
    strided(x_of(None, 5), tf.constant([1], name="begin"), tf.constant([2], name="end"),
            tf.constant([1], name="strides"), shrink_axis_mask=1)


@case
def strided_slice_begin_at_run_time():
    strided(x_of(4, 5), x_of(1, dtype=tf.int32, name="begin"), x_of(1, dtype=tf.int32, name="end"),
            tf.constant([1], name="strides"), shrink_axis_mask=1, new_axis_mask=0, ellipsis_mask=0, begin_mask=0)


@case
def strided_slice_int64():
    strided(x_of(4, None), tf.constant([0], tf.int64, name="begin"), tf.constant([2], tf.int64, name="end"),
            tf.constant([1], tf.int64, name="strides"))


@case
def strided_slice_grad():
    raw.StridedSliceGrad(shape=tf.constant([4], name="shape"), begin=tf.constant([1], name="begin"),
                         end=tf.constant([3], name="end"), strides=tf.constant([1], name="strides"),
                         dy=x_of(2), begin_mask=1, name="y")


@case
def tile_static():
    raw.Tile(input=x_of(2, 3), multiples=tf.constant([3, 2], name="multiples"), name="y")


@case
def tile_unknown():
    raw.Tile(input=x_of(None, 3), multiples=tf.constant([3, 2], name="multiples"), name="y")


@case
def tile_int64_at_run_time():
    raw.Tile(input=x_of(2, 3), multiples=x_of(2, dtype=tf.int64, name="multiples"), name="y")


@case
def pad_static():
    raw.Pad(input=x_of(2, 3), paddings=tf.constant([[1, 2], [0, 1]], name="paddings"), name="y")


@case
def pad_unknown():
    raw.Pad(input=x_of(None, 3), paddings=tf.constant([[1, 2], [0, 1]], name="paddings"), name="y")


@case
def pad_int64_unknown_rank():
    raw.Pad(input=unknown(), paddings=x_of(None, 2, dtype=tf.int64, name="paddings"), name="y")


@case
def pad_v2():
    raw.PadV2(input=x_of(2, 3), paddings=tf.constant([[1, 2], [0, 1]], name="paddings"),
              constant_values=x_of(name="value"), name="y")


@case
def reverse_v2():
    raw.ReverseV2(tensor=x_of(2, 3), axis=tf.constant([1], name="axis"), name="y")


# ---- gather and its kin


@case
def gather():
    raw.Gather(params=x_of(5, 3), indices=x_of(4, dtype=tf.int32, name="indices"), name="y")


@case
def gather_unknown():
    raw.Gather(params=x_of(None, 3), indices=x_of(None, 2, dtype=tf.int64, name="indices"), name="y")


def gather_v2(params, indices, axis=0, batch_dims=0):
    axis = tf.constant(axis, name="axis") if isinstance(axis, int) else axis
    raw.GatherV2(params=params, indices=indices, axis=axis, batch_dims=batch_dims, name="y")


@case
def gather_v2_static():
    gather_v2(x_of(5, 3), x_of(4, dtype=tf.int32, name="indices"))


@case
def gather_v2_vector_int64():
    gather_v2(x_of(5), x_of(2, 2, dtype=tf.int64, name="indices"))


@case
def gather_v2_unknown():
    gather_v2(x_of(None, 3), x_of(None, dtype=tf.int32, name="indices"))


@case
def gather_v2_axis_1():
    gather_v2(x_of(5, 3, 2), x_of(4, dtype=tf.int32, name="indices"), axis=1)


@case
def gather_v2_axis_minus_1_unknown():
    gather_v2(x_of(None, 3), x_of(None, dtype=tf.int32, name="indices"), axis=-1)


@case
def gather_v2_axis_at_run_time():
    gather_v2(x_of(5, 3), x_of(4, dtype=tf.int32, name="indices"), axis=x_of(dtype=tf.int32, name="axis"))


@case
def gather_v2_batch_dims_1():
    gather_v2(x_of(2, 5, 3), x_of(2, 4, dtype=tf.int32, name="indices"), axis=1, batch_dims=1)


@case
def gather_v2_batch_dims_1_axis_2():
    gather_v2(x_of(2, 5, 3), x_of(2, 4, dtype=tf.int32, name="indices"), axis=2, batch_dims=1)


@case
def gather_v2_batch_dims_minus_1_unknown():
    gather_v2(x_of(None, 5, 3), x_of(None, 4, dtype=tf.int64, name="indices"), axis=1, batch_dims=-1)


@case
def gather_v2_batch_dims_2():
    gather_v2(x_of(2, 3, 5), x_of(2, 3, 4, dtype=tf.int32, name="indices"), axis=2, batch_dims=2)


@case
def dynamic_stitch():
    raw.DynamicStitch(indices=[tf.constant([0, 2], name="i0"), tf.constant([1], name="i1")],
                      data=[x_of(2, 3, name="x0"), x_of(1, 3, name="x1")], name="y")


@case
def parallel_dynamic_stitch():
    raw.ParallelDynamicStitch(indices=[x_of(None, dtype=tf.int32, name="i0"), x_of(None, dtype=tf.int32, name="i1")],
                              data=[x_of(None, 3, name="x0"), x_of(None, 3, name="x1")], name="y")


def segment_sum(data, ids, count):
    raw.UnsortedSegmentSum(data=data, segment_ids=ids, num_segments=count, name="y")


@case
def unsorted_segment_sum_static():
    segment_sum(x_of(4, 3), x_of(4, dtype=tf.int32, name="ids"), tf.constant(5, name="count"))


@case
def unsorted_segment_sum_same_rank():
    segment_sum(x_of(4), x_of(4, dtype=tf.int64, name="ids"), tf.constant(5, name="count"))


@case
def unsorted_segment_sum_unknown():
    segment_sum(x_of(None, 3), x_of(None, dtype=tf.int32, name="ids"), x_of(dtype=tf.int32, name="count"))


# ---- recording


def gradient_endpoints(y, given="g"):
    grads = []
    for output in y.outputs:
        name = given if not grads else f"{given}_{len(grads)}"
        grads.append(tf.placeholder(output.dtype, output.shape, name=name))
    function = ops.get_gradient_function(y)
    with tf.name_scope("grad"):
        results = function(y, *grads)
        if not isinstance(results, (list, tuple)):
            results = [results]
        return [None if result is None else tf.convert_to_tensor(result) for result in results]


def endpoint(tensor):
    if tensor is None:
        return "none"
    return tensor.op.name if tensor.value_index == 0 else f"{tensor.op.name}:{tensor.value_index}"


def record(name):
    with tf.Graph().as_default() as graph:
        CASES[name]()
        results = gradient_endpoints(graph.get_operation_by_name("y"))
        text = listing(graph) + "returns: " + " ".join(endpoint(result) for result in results) + "\n"
    if write_if_changed(os.path.join(FOLDER, name + ".txt"), text):
        print(name)


def main(words):
    chosen = [name for name in CASES if not words or any(word in name for word in words)]
    for name in chosen:
        record(name)
    if not words:
        for file in os.listdir(FOLDER):
            if file[:-4] not in CASES:
                os.remove(os.path.join(FOLDER, file))
                print("removed", file)
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
