#!/usr/bin/env python3
"""Records tests/golden/gradient_nodes/numeric.txt: the nodes of the gradients of special functions, segments, scatters,
rearranged pixels, diagonals of matrices, sums by labels, images. record_gradient_nodes.py tells the format.

Usage: record_numeric_gradient_nodes.py
"""

import os

from record_gradient_nodes import FOLDER, R, a, b, case_text
from tensorflow_v1 import tf, write_if_changed

SHAPES = {"equal": ([2, 3], [2, 3]), "row": ([2, 3], [3]), "batch": ([None, 3], [3]), "unknown": (None, [3])}


def function_cases():
    cases = {}
    for op in "Asinh Acosh Atanh Lgamma Digamma Erfinv Ndtri BesselI0e BesselI1e".split():
        cases[op] = lambda op=op: getattr(R, op)(x=a([2, 3]), name="y")
        cases[op + "_double"] = lambda op=op: getattr(R, op)(x=a([None, 3], tf.float64), name="y")
    names = {"Polygamma": "ax", "Zeta": "xq", "Igamma": "ax", "Igammac": "ax", "Xlogy": "xy", "Xlog1py": "xy", "Xdivy": "xy",
             "MulNoNan": "xy"}
    for op, (first, second) in names.items():
        for key, (x, y) in SHAPES.items():
            cases[f"{op}_{key}"] = lambda op=op, f=first, s=second, x=x, y=y: getattr(R, op)(**{f: a(x), s: b(y)}, name="y")
    cases["Xlogy_double"] = lambda: R.Xlogy(x=a([2], tf.float64), y=b([2], tf.float64), name="y")
    cases["NextAfter"] = lambda: R.NextAfter(x1=a([2, 3]), x2=b([3]), name="y")
    cases["Betainc"] = lambda: R.Betainc(a=a([2, 3]), b=b([2, 3]), x=tf.placeholder(tf.float32, [2, 3], name="x"), name="y")
    cases["Cross"] = lambda: R.Cross(a=a([2, 3]), b=b([2, 3]), name="y")
    return cases


def segment_cases():
    cases = {}
    for op in "SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin".split():
        for key, shape in {"matrix": [4, 3], "batch": [None, 3]}.items():
            cases[f"{op}_{key}"] = lambda op=op, s=shape: getattr(R, op)(data=a(s), segment_ids=b(s[:1], tf.int32), name="y")
    for op in "UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin".split():
        for key, shape in {"matrix": [4, 3], "batch": [None, 3]}.items():
            cases[f"{op}_{key}"] = lambda op=op, s=shape: getattr(R, op)(
                data=a(s), segment_ids=b(s[:1], tf.int32), num_segments=tf.constant(5, name="n"), name="y")
    for op in "SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN".split():
        for key, shape in {"matrix": [4, 3], "batch": [None, 3]}.items():
            cases[f"{op}_{key}"] = lambda op=op, s=shape: getattr(R, op)(
                data=a(s), indices=b([2], tf.int32), segment_ids=a([2], tf.int32, "ids"), name="y")
    return cases


def scatter_cases():
    cases = {}
    for op in "TensorScatterAdd TensorScatterSub TensorScatterUpdate TensorScatterMin TensorScatterMax".split():
        for key, shape in {"matrix": [4, 3], "batch": [None, 3]}.items():
            cases[f"{op}_{key}"] = lambda op=op, s=shape: getattr(R, op)(
                tensor=a(s), indices=b([2, 1], tf.int32), updates=a([2, 3], name="u"), name="y")
    cases["ScatterNdNonAliasingAdd"] = lambda: R.ScatterNdNonAliasingAdd(
        input=a([4]), indices=b([2, 1], tf.int32), updates=a([2], name="u"), name="y")
    return cases


def pixel_cases():
    block = lambda: (tf.constant([2, 2], name="block"), tf.constant([[0, 0], [0, 2]], name="edges"))
    cases = {
        "SpaceToBatchND": lambda: R.SpaceToBatchND(input=a([1, 2, 4, 1]), block_shape=(e := block())[0], paddings=e[1], name="y"),
        "BatchToSpaceND": lambda: R.BatchToSpaceND(input=a([4, 2, 4, 1]), block_shape=(e := block())[0], crops=e[1], name="y"),
        "SpaceToDepth": lambda: R.SpaceToDepth(input=a([1, 2, 4, 1]), block_size=2, name="y"),
        "DepthToSpace": lambda: R.DepthToSpace(input=a([1, 2, 4, 4]), block_size=2, name="y"),
        "ReverseSequence": lambda: R.ReverseSequence(input=a([2, 4]), seq_lengths=b([2], tf.int64), seq_dim=1, name="y"),
        "LRN": lambda: R.LRN(input=a([1, 2, 2, 3]), depth_radius=2, alpha=0.5, name="y"),
        "ResizeBilinear": lambda: R.ResizeBilinear(images=a([1, 2, 2, 3]), size=tf.constant([4, 4], name="s"), name="y"),
        "ResizeNearestNeighbor": lambda: R.ResizeNearestNeighbor(images=a([1, 2, 2, 3]), size=tf.constant([4, 4], name="s"), name="y"),
        "ResizeNearestNeighbor_batch": lambda: R.ResizeNearestNeighbor(images=a([1, None, 2, 3]), size=b([2], tf.int32), name="y"),
        "DepthwiseConv2dNative": lambda: R.DepthwiseConv2dNative(
            input=a([1, 4, 4, 2]), filter=b([2, 2, 2, 1]), strides=[1, 1, 1, 1], padding="SAME", name="y"),
        "DepthwiseConv2dNative_batch": lambda: R.DepthwiseConv2dNative(
            input=a([None, 4, 4, 2]), filter=b([2, 2, 2, 1]), strides=[1, 2, 2, 1], padding="VALID", name="y"),
    }
    for mode in ("REFLECT", "SYMMETRIC"):
        cases["MirrorPad_" + mode] = lambda m=mode: R.MirrorPad(
            input=a([4]), paddings=tf.constant([[1, 1]], name="edges"), mode=m, name="y")
    return cases


def matrix_cases():
    zero = lambda: tf.constant(0.0, name="zero")
    number = lambda value, name: tf.constant(value, name=name)
    cases = {
        "MatrixDiag": lambda: R.MatrixDiag(diagonal=a([2, 3]), name="y"),
        "MatrixDiagV3": lambda: R.MatrixDiagV3(diagonal=a([2, 3]), k=number(1, "k"), num_rows=number(-1, "r"),
                                               num_cols=number(-1, "c"), padding_value=zero(), name="y"),
        "MatrixDiagPart": lambda: R.MatrixDiagPart(input=a([2, 3, 3]), name="y"),
        "MatrixDiagPart_wide": lambda: R.MatrixDiagPart(input=a([2, 3, 4]), name="y"),
        "MatrixDiagPart_batch": lambda: R.MatrixDiagPart(input=a([None, None, 4]), name="y"),
        "MatrixDiagPartV3": lambda: R.MatrixDiagPartV3(input=a([2, 3, 4]), k=number(1, "k"), padding_value=zero(), name="y"),
        "MatrixDiagPartV3_batch": lambda: R.MatrixDiagPartV3(input=a([2, None, 4]), k=number(1, "k"), padding_value=zero(),
                                                             align="LEFT_LEFT", name="y"),
        "MatrixSetDiag": lambda: R.MatrixSetDiag(input=a([2, 3, 4]), diagonal=b([2, 3]), name="y"),
        "MatrixSetDiagV3": lambda: R.MatrixSetDiagV3(input=a([2, 3, 4]), diagonal=b([2, 3]), k=number(0, "k"), name="y"),
    }
    for adjoint in (False, True):
        for lower in (False, True):
            cases[f"MatrixTriangularSolve_{adjoint}_{lower}"] = lambda d=adjoint, l=lower: R.MatrixTriangularSolve(
                matrix=a([3, 3]), rhs=b([3, 2]), adjoint=d, lower=l, name="y")
    cases["MatrixTriangularSolve_batch"] = lambda: R.MatrixTriangularSolve(matrix=a([2, 3, 3]), rhs=b([1, 3, 2]), name="y")
    for ta in (False, True):
        for tb in (False, True):
            cases[f"BatchMatMul_{ta}_{tb}"] = lambda ta=ta, tb=tb: R.BatchMatMul(
                x=a([2, 3, 3]), y=b([2, 3, 3]), adj_x=ta, adj_y=tb, name="y")
            cases[f"SparseTensorDenseMatMul_{ta}_{tb}"] = lambda ta=ta, tb=tb: R.SparseTensorDenseMatMul(
                a_indices=a([2, 2], tf.int64), a_values=b([2]), a_shape=tf.constant([3, 3], tf.int64, name="s"),
                b=a([3, 3], name="c"), adjoint_a=ta, adjoint_b=tb, name="y")
            for sparse in (False, True):
                cases[f"SparseMatMul_{ta}_{tb}_{sparse}"] = lambda ta=ta, tb=tb, sparse=sparse: R.SparseMatMul(
                    a=a([3, 3]), b=b([3, 3], tf.bfloat16 if sparse else tf.float32), transpose_a=ta, transpose_b=tb, a_is_sparse=sparse,
                    name="y")
    cases["BatchMatMulV3"] = lambda: R.BatchMatMulV3(x=a([2, 3, 3]), y=b([3, 3]), Tout=tf.float32, name="y")
    for equation in ("ij,jk->ik", "bij,bjk->bik", "ij,jk->ki"):
        rank = equation.index(",")
        cases["Einsum_" + equation] = lambda e=equation, r=rank: R.Einsum(inputs=[a([3] * r), b([3] * r)], equation=e, name="y")
    cases["Einsum_ij->ji"] = lambda: R.Einsum(inputs=[a([2, 3])], equation="ij->ji", name="y")
    cases["Einsum_ellipsis"] = lambda: R.Einsum(inputs=[a([2, 3, 4]), b([4, 5])], equation="...ij,jk->...ik", name="y")
    return cases


def complex_cases():
    cases = {}
    for double in (False, True):
        real, number = (tf.float64, tf.complex128) if double else (tf.float32, tf.complex64)
        suffix = "_double" if double else ""
        for op in "Real Imag Angle".split():
            cases[op + suffix] = lambda op=op, real=real, number=number: getattr(R, op)(input=a([2, 3], number), Tout=real, name="y")
        cases["ComplexAbs" + suffix] = lambda real=real, number=number: R.ComplexAbs(x=a([2, 3], number), Tout=real, name="y")
        cases["Conj" + suffix] = lambda number=number: R.Conj(input=a([2, 3], number), name="y")
        for key, (x, y) in SHAPES.items():
            cases[f"Complex_{key}{suffix}"] = lambda x=x, y=y, real=real, number=number: R.Complex(
                real=a(x, real), imag=b(y, real), Tout=number, name="y")
        for op in "FFT IFFT FFT2D IFFT2D FFT3D IFFT3D".split():
            cases[op + suffix] = lambda op=op, number=number: getattr(R, op)(input=a([2, 3, 4], number), name="y")
            cases[op + "_batch" + suffix] = lambda op=op, number=number: getattr(R, op)(input=a([None, 3, 4], number), name="y")
    return cases


def decomposition_cases():
    cases = {}
    for key, shape in {"matrix": [3, 3], "batch": [2, 3, 3], "unknown_batch": [None, 3, 3]}.items():
        for adjoint in (False, True):
            cases[f"MatrixInverse_{key}_{adjoint}"] = lambda s=shape, d=adjoint: R.MatrixInverse(input=a(s), adjoint=d, name="y")
            cases[f"MatrixSolve_{key}_{adjoint}"] = lambda s=shape, d=adjoint: R.MatrixSolve(matrix=a(s), rhs=b(s), adjoint=d, name="y")
        cases[f"MatrixDeterminant_{key}"] = lambda s=shape: R.MatrixDeterminant(input=a(s), name="y")
        cases[f"LogMatrixDeterminant_{key}"] = lambda s=shape: R.LogMatrixDeterminant(input=a(s), name="y").log_abs_determinant
        if key != "unknown_batch":  # TensorFlow folds arithmetic of dimensions for shapes
            cases[f"Cholesky_{key}"] = lambda s=shape: R.Cholesky(input=a(s), name="y")
        cases[f"SelfAdjointEigV2_values_{key}"] = lambda s=shape: R.SelfAdjointEigV2(input=a(s), compute_v=False, name="y").e
        cases[f"SelfAdjointEigV2_vectors_{key}"] = lambda s=shape: R.SelfAdjointEigV2(input=a(s), compute_v=True, name="y").e
    cases["MatrixInverse_complex"] = lambda: R.MatrixInverse(input=a([3, 3], tf.complex128), name="y")
    for key, shape, dtype in (("square", [3, 3], tf.float64), ("tall", [2, 4, 3], tf.float32), ("wide", [3, 5], tf.float64),
                              ("wide_batch", [None, 2, 3], tf.float32), ("complex", [3, 2], tf.complex128),
                              ("complex_batch", [None, 3, 3], tf.complex64)):
        cases[f"Qr_{key}"] = lambda s=shape, t=dtype: R.Qr(input=a(s, t), name="y")
        if key == "complex_batch":  # TensorFlow folds arithmetic of dimensions for shapes
            continue
        cases[f"Svd_{key}"] = lambda s=shape, t=dtype: R.Svd(input=a(s, t), name="y")
        cases[f"Svd_{key}_values"] = lambda s=shape, t=dtype: R.Svd(input=a(s, t), compute_uv=False, name="y")
    for key, shape in (("square", [3, 3]), ("tall", [4, 3]), ("wide", [2, 3])):
        cases[f"Svd_{key}_full"] = lambda s=shape: R.Svd(input=a(s), full_matrices=True, name="y")
    cases["MatrixBandPart"] = lambda: R.MatrixBandPart(input=a([3, 3]), num_lower=tf.constant(1, name="l"), num_upper=tf.constant(0, name="u"), name="y")
    return cases


def rearranged_cases():
    cases = {}
    for key, shape in {"matrix": [3, 4], "batch": [None, 4]}.items():
        cases[f"Roll_{key}"] = lambda s=shape: R.Roll(input=a(s), shift=tf.constant([1, 2], name="s"), axis=tf.constant([0, 1], name="x"), name="y")
        cases[f"TopKV2_{key}"] = lambda s=shape: R.TopKV2(input=a(s), k=tf.constant(2, name="k"), name="y").values
        cases[f"DynamicPartition_{key}"] = lambda s=shape: R.DynamicPartition(data=a(s), partitions=b(s[:1], tf.int32), num_partitions=2, name="y")
    cases["TopKV2_vector"] = lambda: R.TopKV2(input=a([5]), k=tf.constant(2, name="k"), name="y").values
    cases["SparseToDense"] = lambda: R.SparseToDense(sparse_indices=tf.constant([[1], [3]], name="i"), output_shape=tf.constant([5], name="s"),
                                                     sparse_values=a([2]), default_value=b([]), name="y")
    cases["SparseToDense_matrix"] = lambda: R.SparseToDense(sparse_indices=tf.constant([[1, 0], [3, 1]], name="i"),
                                                            output_shape=tf.constant([5, 2], name="s"), sparse_values=a([2]), default_value=b([]),
                                                            name="y")
    return cases


def real_fourier_cases():
    cases = {}
    for key, shape in {"matrix": [3, 4], "batch": [2, 3, 4]}.items():  # all known: TensorFlow folds arithmetic of dimensions for shapes
        cases[f"RFFT_{key}"] = lambda s=shape: R.RFFT(input=a(s), fft_length=tf.constant([4], name="n"), name="y")
        for op, lengths in (("RFFT", [4]), ("RFFT2D", [3, 4])):
            cases[f"I{op}_{key}"] = lambda op="I" + op, n=lengths, s=shape: getattr(R, op)(
                input=a([*s[:-1], 3], tf.complex64), fft_length=tf.constant(n, name="n"), name="y")
    return cases


def other_cases():
    cases = {}
    cases["BiasAddV1"] = lambda: R.BiasAddV1(value=a([2, 3]), bias=b([3]), name="y")
    cases["BiasAddV1_batch"] = lambda: R.BiasAddV1(value=a([None, 2, 3]), bias=b([3]), name="y")
    cases["CheckNumericsV2"] = lambda: R.CheckNumericsV2(tensor=a([2, 3]), message="here", name="y")
    for dtype in (tf.float32, tf.float64, tf.uint8):
        cases[f"ResizeBicubic_{dtype.name}"] = lambda dtype=dtype: R.ResizeBicubic(
            images=a([1, 2, 3, 1], dtype), size=tf.constant([4, 5], name="s"), align_corners=True, name="y")
    return cases


def main():
    parts = (function_cases, segment_cases, scatter_cases, pixel_cases, matrix_cases, complex_cases, decomposition_cases, rearranged_cases, real_fourier_cases, other_cases)
    text = "".join(case_text(title, build) for cases in parts for title, build in cases().items())
    if write_if_changed(os.path.join(FOLDER, "numeric.txt"), text):
        print("numeric")


if __name__ == "__main__":
    main()
