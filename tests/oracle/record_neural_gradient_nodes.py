#!/usr/bin/env python3
"""Records tests/golden/gradient_nodes/neural.txt: the nodes of the gradients of products of matrices, convolutions, pooling,
activations, biases, softmax and cross entropies. record_gradient_nodes.py has the other families and tells the format.

Usage: record_neural_gradient_nodes.py
"""

import os

from record_gradient_nodes import FOLDER, R, a, b, case_text
from tensorflow_v1 import tf, write_if_changed


def matmul_cases():
    cases = {}
    for ta in (False, True):
        for tb in (False, True):
            key = f"{'n' if not ta else 't'}{'n' if not tb else 't'}"
            cases[f"MatMul_{key}"] = lambda ta=ta, tb=tb: R.MatMul(
                a=a([3, 3]), b=b([3, 3]), transpose_a=ta, transpose_b=tb, name="y")
            cases[f"BatchMatMulV2_{key}"] = lambda ta=ta, tb=tb: R.BatchMatMulV2(
                x=a([2, 3, 3]), y=b([2, 3, 3]), adj_x=ta, adj_y=tb, name="y")
    shapes = {
        "batch": ([None, 3], [3, 4]),
        "unknown": (None, None),
    }
    for key, (x, y) in shapes.items():
        cases[f"MatMul_{key}"] = lambda x=x, y=y: R.MatMul(a=a(x), b=b(y), name="y")
    shapes = {
        "broadcast": ([2, 3, 4], [1, 4, 5]),
        "one_matrix": ([2, 3, 4], [4, 5]),
        "matrices": ([3, 4], [4, 5]),
        "unknown_batch": ([None, 3, 4], [None, 4, 5]),
        "unknown": (None, None),
    }
    for key, (x, y) in shapes.items():
        cases[f"BatchMatMulV2_{key}"] = lambda x=x, y=y: R.BatchMatMulV2(x=a(x), y=b(y), name="y")
    return cases


CONV = {"strides": [1, 2, 1, 1], "padding": "SAME", "dilations": [1, 1, 1, 1]}
EXPLICIT = {"strides": [1, 1, 1, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 2, 1, 0, 0]}


def sizes(values):
    return tf.constant(values, tf.int32, name="sizes")


def convolution_cases():
    image, filter_, out = [2, 6, 6, 1], [3, 3, 1, 2], [2, 3, 6, 2]
    return {
        "Conv2D": lambda: R.Conv2D(input=a(image), filter=b(filter_), name="y", **CONV),
        "Conv2D_batch": lambda: R.Conv2D(input=a([None, 6, 6, 1]), filter=b(filter_), name="y", **CONV),
        "Conv2D_explicit": lambda: R.Conv2D(input=a(image), filter=b(filter_), name="y", **EXPLICIT),
        "Conv2D_nchw": lambda: R.Conv2D(
            input=a([2, 1, 6, 6]), filter=b(filter_), strides=[1, 1, 2, 1], padding="VALID", data_format="NCHW", name="y"),
        "Dilation2D": lambda: R.Dilation2D(input=a(image), filter=b([3, 3, 1]), strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding="SAME", name="y"),
        "QuantizeAndDequantizeV2": lambda: R.QuantizeAndDequantizeV2(input=a([2, 3]), input_min=b([]), input_max=a([], name="c"), name="y"),
        "QuantizeAndDequantizeV3": lambda: R.QuantizeAndDequantizeV3(
            input=a([2, 3]), input_min=b([]), input_max=a([], name="c"), num_bits=tf.constant(8, name="d"), name="y"),
        "QuantizeAndDequantizeV4": lambda: R.QuantizeAndDequantizeV4(
            input=a([2, 3]), input_min=b([3]), input_max=a([3], name="c"), axis=1, name="y"),
        "Conv2DBackpropInput": lambda: R.Conv2DBackpropInput(
            input_sizes=sizes(image), filter=a(filter_), out_backprop=b(out), name="y", **CONV),
        "Conv2DBackpropInput_batch": lambda: R.Conv2DBackpropInput(
            input_sizes=a([4], tf.int32, "sizes"), filter=a(None), out_backprop=b([None, 3, 6, 2]), name="y", **CONV),
        "Conv2DBackpropFilter": lambda: R.Conv2DBackpropFilter(
            input=a(image), filter_sizes=sizes(filter_), out_backprop=b(out), name="y", **CONV),
        "Conv2DBackpropFilter_batch": lambda: R.Conv2DBackpropFilter(
            input=a([None, 6, 6, 1]), filter_sizes=sizes(filter_), out_backprop=b([None, 3, 6, 2]), name="y", **CONV),
    }


POOL = {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}


def pooling_cases():
    image, out = [2, 4, 4, 3], [2, 2, 4, 3]
    cases = {}
    for key, shape in (("", image), ("_batch", [None, 4, 4, 3]), ("_unknown", None)):
        cases["AvgPool" + key] = lambda s=shape: R.AvgPool(value=a(s), name="y", **POOL)
        cases["MaxPool" + key] = lambda s=shape: R.MaxPool(input=a(s), name="y", **POOL)
    cases["AvgPoolGrad"] = lambda: R.AvgPoolGrad(orig_input_shape=sizes(image), grad=a(out), name="y", **POOL)
    for op in ("MaxPoolGrad", "MaxPoolGradGrad"):
        grad = out if op == "MaxPoolGrad" else image
        cases[op] = lambda op=op, grad=grad: getattr(R, op)(
            orig_input=a(image), orig_output=b(out), grad=a(grad, name="c"), name="y", **POOL)
        cases[op + "_batch"] = lambda op=op, grad=grad: getattr(R, op)(
            orig_input=a([None, *image[1:]]), orig_output=b([None, *out[1:]]), grad=a([None, *grad[1:]], name="c"), name="y",
            **POOL)
    return cases


def volume_cases():
    volume, filter_, out = [2, 4, 6, 5, 1], [2, 3, 1, 1, 2], [2, 4, 3, 5, 2]
    moves = {"strides": [1, 1, 2, 1, 1], "padding": "SAME"}
    pool = {"ksize": [1, 2, 3, 1, 1], **moves}
    pooled = [*out[:4], 1]
    cases = {}
    for key, batch in (("", 2), ("_batch", None)):
        cases["Conv3D" + key] = lambda n=batch: R.Conv3D(input=a([n, *volume[1:]]), filter=b(filter_), name="y", **moves)
        cases["Conv3DBackpropInputV2" + key] = lambda n=batch: R.Conv3DBackpropInputV2(
            input_sizes=sizes(volume), filter=a(filter_), out_backprop=b([n, *out[1:]]), name="y", **moves)
        cases["Conv3DBackpropFilterV2" + key] = lambda n=batch: R.Conv3DBackpropFilterV2(
            input=a([n, *volume[1:]]), filter_sizes=sizes(filter_), out_backprop=b([n, *out[1:]]), name="y", **moves)
        for op in ("AvgPool3D", "MaxPool3D"):
            cases[op + key] = lambda op=op, n=batch: getattr(R, op)(input=a([n, *volume[1:]]), name="y", **pool)
        for op in ("MaxPool3DGrad", "MaxPool3DGradGrad"):
            grad = pooled if op == "MaxPool3DGrad" else volume
            cases[op + key] = lambda op=op, grad=grad, n=batch: getattr(R, op)(
                orig_input=a([n, *volume[1:]]), orig_output=b([n, *pooled[1:]]), grad=a([n, *grad[1:]], name="c"), name="y", **pool)
    cases["AvgPool3DGrad"] = lambda: R.AvgPool3DGrad(orig_input_shape=sizes(volume), grad=a(pooled), name="y", **pool)
    return cases


def activation_cases():
    cases = {}
    for op in "Relu Relu6 Elu Selu LeakyRelu Softplus Softsign Softmax LogSoftmax".split():
        argument = "logits" if "Softmax" in op else "features"
        cases[op] = lambda op=op, x=argument: getattr(R, op)(**{x: a([2, 3])}, name="y")
        cases[op + "_batch"] = lambda op=op, x=argument: getattr(R, op)(**{x: a([None, 3])}, name="y")
    cases["LeakyRelu_alpha"] = lambda: R.LeakyRelu(features=a([2, 3], tf.float64), alpha=0.5, name="y")
    for op in "ReluGrad Relu6Grad EluGrad SeluGrad LeakyReluGrad".split():
        argument = "outputs" if op in ("EluGrad", "SeluGrad") else "features"
        for key, shape in (("", [2, 3]), ("_batch", [None, 3]), ("_large", [40, 30])):
            cases[op + key] = lambda op=op, x=argument, s=shape: getattr(R, op)(gradients=a(s), **{x: b(s)}, name="y")
    cases["EluGrad_double"] = lambda: R.EluGrad(gradients=a([2], tf.float64), outputs=b([2], tf.float64), name="y")
    return cases


def bias_cases():
    cases = {}
    for key, shape, data_format in (("", [2, 5, 3], "NHWC"), ("_batch", [None, 3], "NHWC"), ("_nchw", [2, 3, 5, 4], "NCHW"),
                                    ("_nchw_batch", [None, 3, 5, 4], "NCHW")):
        cases["BiasAdd" + key] = lambda s=shape, f=data_format: R.BiasAdd(value=a(s), bias=b([3]), data_format=f, name="y")
        cases["BiasAddGrad" + key] = lambda s=shape, f=data_format: R.BiasAddGrad(
            out_backprop=a(s), data_format=f, name="y")
    cases["L2Loss"] = lambda: R.L2Loss(t=a([2, 3]), name="y")
    return cases


def cross_entropy_cases():
    cases = {}
    for key, batch in (("", 2), ("_batch", None)):
        cases["SoftmaxCrossEntropyWithLogits" + key] = lambda n=batch: R.SoftmaxCrossEntropyWithLogits(
            features=a([n, 3]), labels=b([n, 3]), name="y")
        cases["SparseSoftmaxCrossEntropyWithLogits" + key] = lambda n=batch: R.SparseSoftmaxCrossEntropyWithLogits(
            features=a([n, 3]), labels=b([n], tf.int32), name="y")
    return cases


def main():
    cases = {}
    for family in (matmul_cases, convolution_cases, pooling_cases, volume_cases, activation_cases, bias_cases, cross_entropy_cases):
        cases.update(family())
    text = "".join(case_text(title, build) for title, build in cases.items())
    if write_if_changed(os.path.join(FOLDER, "neural.txt"), text):
        print("neural")


if __name__ == "__main__":
    main()
