#!/usr/bin/env python3
"""Records the nodes that TensorFlow's gradient functions make, as tests/golden/gradient_nodes/<family>.txt.

Usage: record_gradient_nodes.py

The cases of a family stand in one file, each after a line "=== NAME"; else they are as record_gradients.py describes
them: the op is the node `y`, its outputs' gradients are `g`, `g_1`, ..., the last line tells what was returned.
"""

import os

from listing import listing
from record_gradients import endpoint, gradient_endpoints
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

R = tf.raw_ops
FOLDER = os.path.join(GOLDEN, "gradient_nodes")


def a(shape, dtype=tf.float32, name="a"):
    return tf.placeholder(dtype, shape, name=name)


def b(shape, dtype=tf.float32):
    return a(shape, dtype, "b")


def case_text(title, build, given="g"):
    with tf.Graph().as_default() as graph:
        build()
        results = gradient_endpoints(graph.get_operation_by_name("y"), given)
        return f"=== {title}\n{listing(graph)}returns: {' '.join(endpoint(result) for result in results)}\n"


def unary_cases():
    cases = {}
    for op in ("Abs Neg Sign Square Sqrt Rsqrt Exp Expm1 Log Log1p Sin Cos Tanh Sigmoid Reciprocal Inv Floor Ceil Round Rint "
               "Tan Asin Acos Atan Sinh Cosh Erf Erfc").split():
        cases[op] = lambda op=op: getattr(R, op)(x=a([2, 3]), name="y")
    for op in "SigmoidGrad TanhGrad SqrtGrad RsqrtGrad InvGrad ReciprocalGrad".split():
        if hasattr(R, op):
            cases[op] = lambda op=op: getattr(R, op)(y=a([2, 3]), dy=b([2, 3]), name="y")
    cases["sign_unknown"] = lambda: R.Sign(x=a([None, 3]), name="y")
    cases["sign_large"] = lambda: R.Sign(x=a([40, 30]), name="y")
    cases["square_double"] = lambda: R.Square(x=a([2], tf.float64), name="y")
    cases["sqrt_grad_double"] = lambda: R.SqrtGrad(y=a([2], tf.float64), dy=b([2], tf.float64), name="y")
    return cases


SHAPES = {
    "equal": ([2, 3], [2, 3]),
    "row": ([2, 3], [3]),
    "column": ([2, 1], [2, 3]),
    "scalar": ([2, 3], []),
    "left_scalar": ([], [2, 3]),
    "scalars": ([], []),
    "one_and_scalar": ([1], []),
    "batch": ([None, 3], [None, 3]),
    "batch_row": ([None, 3], [3]),
    "batch_column": ([None, 1], [None, 3]),
    "batch_and_static": ([None, 3], [4, 3]),
    "unknown": (None, [3]),
    "unknown_both": (None, None),
}


def binary_cases():
    cases = {}
    for op in "AddV2 Add Sub Mul Div RealDiv FloorDiv FloorMod DivNoNan Pow Maximum Minimum SquaredDifference TruncateDiv".split():
        every = op in ("AddV2", "Mul")
        for key in SHAPES if every else ("equal", "batch_row", "scalar", "unknown"):
            cases[f"{op}_{key}"] = lambda op=op, s=SHAPES[key]: getattr(R, op)(x=a(s[0]), y=b(s[1]), name="y")
    cases["Mul_double"] = lambda: R.Mul(x=a([2], tf.float64), y=b([2], tf.float64), name="y")
    cases["Pow_double"] = lambda: R.Pow(x=a([2], tf.float64), y=b([], tf.float64), name="y")
    cases["Pow_large"] = lambda: R.Pow(x=a([40, 30]), y=b([40, 30]), name="y")
    cases["Maximum_large"] = lambda: R.Maximum(x=a([40, 30]), y=b([40, 30]), name="y")
    cases["AddN"] = lambda: R.AddN(inputs=[a([2]), b([2]), tf.placeholder(tf.float32, [2], name="w")], name="y")
    for key, shapes in {"equal": ([2], [2], [2]), "vector": ([2], [2, 3], [2, 3]), "batch": ([None], [None], [None])}.items():
        cases[f"Select_{key}"] = lambda s=shapes: tf.where(a(s[0], tf.bool, "c"), a(s[1]), b(s[2]), name="y")
    for key, shapes in {"equal": ([2], [2], [2]), "row": ([2, 1], [3], [2, 3]), "batch": ([None, 3], [3], [None, 1]),
                        "scalar": ([2], [2], []), "unknown": (None, [2], [2])}.items():
        cases[f"SelectV2_{key}"] = lambda s=shapes: R.SelectV2(condition=a(s[0], tf.bool, "c"), t=a(s[1]), e=b(s[2]), name="y")
    for key, shapes in {"equal": ([2], [2]), "scalar": ([2], []), "batch": ([None, 3], [])}.items():
        cases[f"ClipByValue_{key}"] = lambda s=shapes: R.ClipByValue(
            t=a(s[0]), clip_value_min=b(s[1]), clip_value_max=tf.placeholder(tf.float32, s[1], name="c"), name="y")
    for source, target in ((tf.float32, tf.float64), (tf.float32, tf.int32), (tf.int32, tf.float32)):
        cases[f"Cast_{source.name}_{target.name}"] = lambda s=source, t=target: R.Cast(x=a([2], s), DstT=t, name="y")
    cases["BroadcastTo"] = lambda: R.BroadcastTo(input=a([3]), shape=tf.constant([2, 3], name="shape"), name="y")
    cases["BroadcastTo_unknown"] = lambda: R.BroadcastTo(input=a([None, 3]), shape=a([2], tf.int64, "shape"), name="y")
    return cases


def axes(value, dtype=np.int32):
    return tf.constant(np.array(value, dtype), name="axes")


REDUCTIONS = {
    "all": ([2, 3], [0, 1], False),
    "all_keep": ([2, 3], [0, 1], True),
    "all_batch": ([None, 3], [0, 1], False),
    "vector": ([5], [0], False),
    "vector_batch": ([None], [0], False),
    "vector_scalar_axis": ([5], 0, False),
    "inner": ([2, 3], [1], False),
    "inner_negative": ([2, 3], -1, False),
    "outer_keep": ([2, 3], [0], True),
    "middle": ([2, 3, 4], [1], False),
    "unsorted": ([2, 3], [1, 0], False),
    "scalar": ([], [], False),
    "none": ([2, 3], [], False),
    "batch_inner": ([None, 3], [1], False),
    "batch_inner_keep": ([None, 3], [1], True),
    "batch_outer": ([None, 3], [0], False),
    "unknown": (None, [0], False),
    "empty_inner": ([2, 0], [1], False),
}


def reduce_cases():
    cases = {}
    for op in "Sum Mean Max Min Prod".split():
        for key, (shape, axis, keep) in REDUCTIONS.items():
            if op == "Min" and key not in ("all", "batch_inner_keep"):
                continue
            cases[f"{op}_{key}"] = lambda op=op, s=shape, v=axis, k=keep: getattr(R, op)(
                input=a(s), axis=axes(v), keep_dims=k, name="y")
        cases[f"{op}_int64_axes"] = lambda op=op: getattr(R, op)(input=a([2, 3]), axis=axes([1], np.int64), name="y")
        for k in (False, True):
            cases[f"{op}_placeholder_axes{'_keep' * k}"] = lambda op=op, k=k: getattr(R, op)(
                input=a([2, 3]), axis=a([1], tf.int32, "axes"), keep_dims=k, name="y")
            cases[f"{op}_placeholder_axes_unknown{'_keep' * k}"] = lambda op=op, k=k: getattr(R, op)(
                input=a(None), axis=a(None, tf.int32, "axes"), keep_dims=k, name="y")
        cases[f"{op}_double_batch"] = lambda op=op: getattr(R, op)(input=a([None, 3], tf.float64), axis=axes([1]), name="y")
    cases["ArgMax"] = lambda: R.ArgMax(input=a([2, 3]), dimension=tf.constant(1, name="axis"), name="y")
    return cases


def complex_cases():
    """Where a function of complex numbers is differentiated, its slope is conjugated."""
    cases = {}
    number = tf.complex64
    for op in ("Neg Sign Square Sqrt Rsqrt Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh "
               "Sigmoid Reciprocal Inv Round").split():
        cases[op] = lambda op=op: getattr(R, op)(x=a([2, 3], number), name="y")
    for op in "SigmoidGrad TanhGrad SqrtGrad RsqrtGrad InvGrad ReciprocalGrad".split():
        cases[op] = lambda op=op: getattr(R, op)(y=a([2, 3], number), dy=b([2, 3], number), name="y")
    for op in "AddV2 Add Sub Mul MulNoNan Div RealDiv DivNoNan Pow SquaredDifference Xdivy Xlogy Xlog1py".split():
        for key in ("equal", "batch_row"):
            x, y = SHAPES[key]
            cases[f"{op}_{key}"] = lambda op=op, x=x, y=y: getattr(R, op)(x=a(x, number), y=b(y, number), name="y")
    cases["Mul_double"] = lambda: R.Mul(x=a([2], tf.complex128), y=b([2], tf.complex128), name="y")
    for op in "Sum Mean Prod".split():
        for key in ("all", "inner", "batch_inner_keep"):
            shape, axis, keep = REDUCTIONS[key]
            cases[f"{op}_{key}"] = lambda op=op, s=shape, v=axis, k=keep: getattr(R, op)(
                input=a(s, number), axis=axes(v), keep_dims=k, name="y")
    for op in "Cumsum Cumprod".split():
        cases[op] = lambda op=op: getattr(R, op)(x=a([2, 3], number), axis=axes(1), name="y")
    for ta in (False, True):
        for tb in (False, True):
            cases[f"MatMul_{ta}_{tb}"] = lambda ta=ta, tb=tb: R.MatMul(
                a=a([3, 3], number), b=b([3, 3], number), transpose_a=ta, transpose_b=tb, name="y")
            cases[f"BatchMatMulV2_{ta}_{tb}"] = lambda ta=ta, tb=tb: R.BatchMatMulV2(
                x=a([2, 3, 3], number), y=b([3, 3], number), adj_x=ta, adj_y=tb, name="y")
    cases["Einsum"] = lambda: R.Einsum(inputs=[a([2, 3], number), b([3, 4], number)], equation="ij,jk->ik", name="y")
    for op in "SegmentSum SegmentMean".split():
        cases[op] = lambda op=op: getattr(R, op)(data=a([3, 2], number), segment_ids=a([3], tf.int32, "ids"), name="y")
    for op in "UnsortedSegmentSum UnsortedSegmentProd".split():
        cases[op] = lambda op=op: getattr(R, op)(data=a([3, 2], number), segment_ids=a([3], tf.int32, "ids"),
                                                 num_segments=tf.constant(2, name="count"), name="y")
    return cases


FAMILIES = {"math_unary": unary_cases, "math_binary": binary_cases, "reduce": reduce_cases, "complex": complex_cases}


def main():
    for family, cases in FAMILIES.items():
        text = "".join(case_text(title, build) for title, build in cases().items())
        if write_if_changed(os.path.join(FOLDER, family + ".txt"), text):
            print(family)


if __name__ == "__main__":
    main()
